import StrongroomData

@Model final class Visit {
  var host: String
  var date: Date

  init(host: String, date: Date = .now) {
    self.host = host
    self.date = date
  }
}
