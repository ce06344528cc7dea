import Foundation
import PostgresServer
import StoreContract
import StrongroomPostgres
import Testing

@Suite("The address of a server")
struct ServerAddressTests {
  @Test("with several hosts, which Foundation takes for none, and in words")
  func forms() throws {
    #expect(URL(string: "postgresql://a:1,b:2/library") == nil)
    #expect(
      try PostgresStore.url(of: "postgresql://ada@a:1,b:2/library?target_session_attrs=any").absoluteString
        == "postgresql:///?user=ada&dbname=library&host=a%2Cb&port=1%2C2&target_session_attrs=any")
    #expect(
      try PostgresStore.url(of: "host=/run/postgresql dbname='my library'").absoluteString
        == "postgresql:///?dbname=my%20library&host=%2Frun%2Fpostgresql")
  }

  @Test("that libpq does not take, without its text")
  func refusals() {
    for address in ["postgresql://ada:secret@[::1/library", "secret", "host=a password='secret"] {
      do {
        let url = try PostgresStore.url(of: address)
        Issue.record("\(url)")
      } catch let error as StoreError {
        #expect(error.code == .invalidValue)
        #expect(!error.description.contains("secret"))
      } catch { Issue.record(error) }
    }
  }

  @Test("of which the first server does not answer", .enabled(if: PostgresServer.programs != nil))
  func hosts() async throws {
    let path = try NetworkPath(to: PostgresServer.shared())
    let url = try PostgresStore.url(
      of: "postgresql://tester@127.0.0.1:1,127.0.0.1:\(path.port)/postgres?sslmode=disable")
    let notes = try await NoteStore(url, schema: PostgresServer.shared().newSchema())
    try notes.save()
    #expect(try notes.count == 1)
  }
}
