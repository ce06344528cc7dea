import Foundation
import StrongroomData
import Testing

enum FromSwiftData {
  @Model final class Book {
    var title: String
    var isRead: Bool

    init(_ title: String, isRead: Bool = false) {
      self.title = title
      self.isRead = isRead
    }
  }

  @MainActor final class Shelf {
    private let unread: ResultsObserver<Book, Never>

    init(_ container: ModelContainer) throws {
      unread = try ResultsObserver(
        filterBy: #Predicate { !$0.isRead }, sortBy: [SortDescriptor(\.title)],
        modelContext: container.mainContext)
    }

    var titles: [String] { unread.results.map(\.title) }
  }
}

extension FromSwiftData {
  @Suite("The manual: from SwiftData")
  struct Tests {
    struct Record: Codable {
      var title: String
      var isRead: Bool
    }

    func bring(_ records: Data, into context: ModelContext) throws {
      for record in try JSONDecoder().decode([Record].self, from: records) {
        context.insert(Book(record.title, isRead: record.isRead))
      }
      try context.save()
    }

    private func configured() throws -> ModelContainer {
      let container = try ModelContainer(
        for: Book.self,
        configurations: ModelConfiguration("Shelf", applicationIdentifier: "org.example.shelf"))
      return container
    }

    @Test(
      "The container in its usual place",
      .enabled(if: ProcessInfo.processInfo.environment["STRONGROOM_PRIVATE_KEYRING"] == "1"))
    func usual() throws {
      let url = ModelConfiguration("Shelf", applicationIdentifier: "org.example.shelf").url
      let folder = url.deletingLastPathComponent()
      try #require(!FileManager.default.fileExists(atPath: folder.path))
      defer { try? FileManager.default.removeItem(at: folder) }
      let container = try configured()
      #expect(container.configurations.first?.applicationIdentifier == "org.example.shelf")
      #expect(container.configurations.first?.url == url)
      #expect(FileManager.default.fileExists(atPath: url.path))
    }

    @Test("Records come in, and a list shows what is unread")
    @MainActor func list() throws {
      let container = try ModelContainer(
        for: Book.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
      let records = [Record(title: "Emma", isRead: false), Record(title: "Walden", isRead: true)]
      try bring(JSONEncoder().encode(records), into: container.mainContext)
      let shelf = try Shelf(container)
      #expect(shelf.titles == ["Emma"])
      container.mainContext.insert(Book("Agnes Grey"))
      container.mainContext.processPendingChanges()
      #expect(shelf.titles == ["Agnes Grey", "Emma"])
    }
  }
}

enum FromCoreData {
  @Model final class Employee {
    #Unique<Employee>([\.number])

    var number: Int
    @Attribute(originalName: "fullName") var name: String
    var salary: Decimal = 0
    var department: Department?

    init(number: Int, name: String, department: Department? = nil) {
      self.number = number
      self.name = name
      self.department = department
    }
  }

  @Model final class Department {
    var name: String
    @Relationship(deleteRule: .nullify, inverse: \Employee.department) var employees: [Employee] = []

    init(name: String) { self.name = name }
  }
}

extension FromCoreData {
  @Suite("The manual: from Core Data")
  struct Tests {
    @Test("A request")
    func request() throws {
      let place = try Place()
      let context = ModelContext(try place.container(for: Department.self))
      let printing = Department(name: "Printing")
      for (number, salary) in [(3, 2000), (1, 1500), (2, 900)] {
        let employee = Employee(number: number, name: "No. \(number)", department: printing)
        employee.salary = Decimal(salary)
        context.insert(employee)
      }
      try context.save()
      let request = FetchDescriptor<Employee>(
        predicate: #Predicate { $0.department?.name == "Printing" && $0.salary > 1000 },
        sortBy: [SortDescriptor(\.number)])
      let numbers = try context.fetch(request).map(\.number)
      #expect(numbers == [1, 3] && printing.employees.count == 3)
      context.delete(printing)
      try context.save()
      #expect(try context.fetch(FetchDescriptor<Employee>()).allSatisfy { $0.department == nil })
    }
  }
}

enum FromSwiftSQLiteORMAndGRDB {
  struct Length: Codable, Equatable {
    var minutes: Int
    var seconds: Int
  }

  @Model final class Track {
    @Attribute(.unique) var title: String
    var length: Length

    init(_ title: String, _ length: Length) {
      self.title = title
      self.length = length
    }
  }
}

extension FromSwiftSQLiteORMAndGRDB {
  @Suite("The manual: from SwiftSQLiteORM and GRDB")
  struct Tests {
    @Test("The same program")
    func program() throws {
      let place = try Place()
      let context = ModelContext(try place.container(for: Track.self))
      // insert, and update by the unique title
      context.insert(Track("Overture", Length(minutes: 4, seconds: 20)))
      context.insert(Track("Finale", Length(minutes: 7, seconds: 5)))
      try context.save()
      context.insert(Track("Finale", Length(minutes: 8, seconds: 0)))
      try context.save()

      // select
      let title = "Finale"
      let found = try context.fetch(FetchDescriptor<Track>(predicate: #Predicate { $0.title == title }))
      let lengths = found.map(\.length)

      // delete some, then all
      try context.delete(model: Track.self, where: #Predicate { $0.title == "Overture" })
      let rest = try context.fetchCount(FetchDescriptor<Track>())
      try context.delete(model: Track.self)
      try context.save()
      #expect(lengths == [Length(minutes: 8, seconds: 0)] && rest == 1)
      #expect(try context.fetchCount(FetchDescriptor<Track>()) == 0)
    }
  }
}
