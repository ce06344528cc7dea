/// Where everything of an entity-relationship diagram stands: a grid of boxes, and lines that run
/// in the gutters between them, each in a lane of its own, so that no line crosses a box.
///
/// Deterministic: the same model gives the same picture.
struct DiagramLayout {
  struct Row {
    let text: String
    let type: String
    let isRelationship: Bool
  }

  struct Box {
    let title: String
    let isAbstract: Bool
    let rows: [Row]
    var x = 0.0
    var y = 0.0
    var width = 0.0
    var height: Double { DiagramLayout.header + Double(rows.count) * DiagramLayout.rowHeight + 6 }

    /// The middle of a row; of the title for nil.
    func portY(_ row: Int?) -> Double {
      guard let row else { return y + DiagramLayout.header / 2 }
      return y + DiagramLayout.header + 3 + (Double(row) + 0.5) * DiagramLayout.rowHeight
    }
  }

  struct End {
    let box: Int
    /// The relationship's row; nil for the title.
    let row: Int?
    let isToMany: Bool
  }

  struct Line {
    let from: End
    let to: End
    let isInheritance: Bool
    var points: [(x: Double, y: Double)] = []
    var leavesRight = false
    var entersRight = false
  }

  static let header = 24.0
  static let rowHeight = 15.0
  static let character = 6.63
  private static let lane = 7.0

  private(set) var boxes: [Box]
  private(set) var lines: [Line]
  private(set) var width = 0.0
  private(set) var height = 0.0
  private var columns = 1
  private var rows = 1
  /// The index of each box's cell in the grid.
  private var places: [Int] = []

  init(boxes: [Box], lines: [Line]) {
    self.boxes = boxes
    self.lines = lines
    guard !boxes.isEmpty else { return }
    columns = max(1, Int((Double(boxes.count) * 1.4).squareRoot().rounded(.up)))
    rows = (boxes.count + columns - 1) / columns
    place()
    route()
  }

  private func column(_ box: Int) -> Int { places[box] % columns }
  private func row(_ box: Int) -> Int { places[box] / columns }

  // MARK: Boxes into the grid

  /// Neighbours beside each other: begins with a walk along the lines, then exchanges places while
  /// that shortens them.
  private mutating func place() {
    var neighbours = Array(repeating: [Int](), count: boxes.count)
    for line in lines where line.from.box != line.to.box {
      neighbours[line.from.box].append(line.to.box)
      neighbours[line.to.box].append(line.from.box)
    }
    var order: [Int] = []
    var seen = Array(repeating: false, count: boxes.count)
    for start in boxes.indices.sorted(by: { neighbours[$0].count > neighbours[$1].count }) where !seen[start]
    {
      var queue = [start]
      seen[start] = true
      var next = 0
      while next < queue.count {
        for other in neighbours[queue[next]] where !seen[other] {
          seen[other] = true
          queue.append(other)
        }
        next += 1
      }
      order += queue
    }
    places = Array(repeating: 0, count: boxes.count)
    for (place, box) in order.enumerated() { places[box] = place }
    improve(neighbours)
  }

  private mutating func improve(_ neighbours: [[Int]]) {
    let slots = rows * columns
    var occupants: [Int?] = Array(repeating: nil, count: slots)
    for box in boxes.indices { occupants[places[box]] = box }
    func distance(_ a: Int, _ b: Int) -> Int {
      // Going from row to row costs more than from column to column: lines leave boxes at their
      // sides.
      let (across, down) = (abs(a % columns - b % columns), abs(a / columns - b / columns))
      return across * across + 2 * down * down
    }
    func cost(_ box: Int?, at place: Int, _ places: [Int]) -> Int {
      guard let box else { return 0 }
      return neighbours[box].reduce(0) { $0 + distance(place, places[$1]) }
    }
    var random: UInt64 = 0x9E37_79B9_7F4A_7C15
    for _ in 0..<min(400 * slots, 400_000) {
      random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let (a, b) = (Int(random >> 33) % slots, Int(random >> 13 & 0xFFFFF) % slots)
      if a == b { continue }
      let (first, second) = (occupants[a], occupants[b])
      let before = cost(first, at: a, places) + cost(second, at: b, places)
      if let first { places[first] = b }
      if let second { places[second] = a }
      if cost(first, at: b, places) + cost(second, at: a, places) < before {
        occupants.swapAt(a, b)
      } else {
        if let first { places[first] = a }
        if let second { places[second] = b }
      }
    }
  }

  // MARK: Lines into the gutters

  /// A stretch of a line in a gutter, in coordinates of the grid: a thousand a cell.
  private struct Stretch {
    let line: Int
    let low: Int
    let high: Int
    var lane = 0
  }

  private mutating func route() {
    var vertical = Array(repeating: [Stretch](), count: columns + 1)
    var horizontal = Array(repeating: [Stretch](), count: rows + 1)
    var crossing: [Int: Int] = [:]
    for index in lines.indices {
      let (from, to) = (lines[index].from, lines[index].to)
      lines[index].leavesRight = column(to.box) >= column(from.box)
      lines[index].entersRight = column(from.box) >= column(to.box)
      let (left, right) = gutters(lines[index])
      let (top, bottom) = (gridY(from), gridY(to))
      if left == right {
        vertical[left].append(Stretch(line: index, low: min(top, bottom), high: max(top, bottom)))
        continue
      }
      let gutter = row(from.box) <= row(to.box) ? row(from.box) + 1 : row(from.box)
      crossing[index] = gutter
      let y = gutter * 1000
      vertical[left].append(Stretch(line: index, low: min(top, y), high: max(top, y)))
      vertical[right].append(Stretch(line: index, low: min(bottom, y), high: max(bottom, y)))
      horizontal[gutter].append(
        Stretch(line: index, low: min(left, right) * 1000, high: max(left, right) * 1000))
    }
    for gutter in vertical.indices { Self.assignLanes(&vertical[gutter]) }
    for gutter in horizontal.indices { Self.assignLanes(&horizontal[gutter]) }
    let xs = placeColumns(vertical.map(Self.breadth))
    let ys = placeRows(horizontal.map(Self.breadth))
    draw(vertical, horizontal, xs, ys, crossing)
  }

  private func gutters(_ line: Line) -> (Int, Int) {
    (
      column(line.from.box) + (line.leavesRight ? 1 : 0), column(line.to.box) + (line.entersRight ? 1 : 0)
    )
  }

  private func gridY(_ end: End) -> Int { row(end.box) * 1000 + 10 + 10 * min((end.row ?? -1) + 1, 90) }

  /// The least lane that is free over the whole stretch.
  private static func assignLanes(_ stretches: inout [Stretch]) {
    stretches.sort { ($0.low, $0.high, $0.line) < ($1.low, $1.high, $1.line) }
    var ends: [Int] = []
    for index in stretches.indices {
      if let free = ends.firstIndex(where: { $0 < stretches[index].low }) {
        stretches[index].lane = free
        ends[free] = stretches[index].high
      } else {
        stretches[index].lane = ends.count
        ends.append(stretches[index].high)
      }
    }
  }

  private static func breadth(_ stretches: [Stretch]) -> Double {
    36 + lane * Double((stretches.map(\.lane).max() ?? -1) + 1)
  }

  /// Where the gutters beside the columns begin.
  private mutating func placeColumns(_ gutters: [Double]) -> [Double] {
    var starts: [Double] = []
    var x = 0.0
    for column in 0..<columns {
      starts.append(x)
      x += gutters[column]
      let own = boxes.indices.filter { self.column($0) == column }
      let widest = own.map { Self.width(of: boxes[$0]) }.max() ?? 0
      for box in own {
        boxes[box].x = x
        boxes[box].width = widest
      }
      x += widest
    }
    starts.append(x)
    width = x + gutters[columns]
    return starts
  }

  private mutating func placeRows(_ gutters: [Double]) -> [Double] {
    var starts: [Double] = []
    var y = 0.0
    for row in 0..<rows {
      starts.append(y)
      y += gutters[row]
      let own = boxes.indices.filter { self.row($0) == row }
      for box in own { boxes[box].y = y }
      y += own.map { boxes[$0].height }.max() ?? 0
    }
    starts.append(y)
    height = y + gutters[rows]
    return starts
  }

  private static func width(of box: Box) -> Double {
    let rows = box.rows.map { $0.text.columns + $0.type.columns + 2 }
    return character * Double(max(rows.max() ?? 0, box.title.columns + 2, 10)) + 20
  }

  private mutating func draw(
    _ vertical: [[Stretch]], _ horizontal: [[Stretch]], _ xs: [Double], _ ys: [Double], _ crossing: [Int: Int]
  ) {
    var lanes: [Int: [Int: Int]] = [:]
    for (gutter, stretches) in vertical.enumerated() {
      for stretch in stretches { lanes[stretch.line, default: [:]][gutter] = stretch.lane }
    }
    var levels: [Int: Int] = [:]
    for stretches in horizontal { for stretch in stretches { levels[stretch.line] = stretch.lane } }
    func across(_ line: Int, _ gutter: Int) -> Double {
      xs[gutter] + 18 + Self.lane * Double(lanes[line]?[gutter] ?? 0)
    }
    for index in lines.indices {
      let line = lines[index]
      let (from, to) = (boxes[line.from.box], boxes[line.to.box])
      let (left, right) = gutters(line)
      let start = (x: line.leavesRight ? from.x + from.width : from.x, y: from.portY(line.from.row))
      let end = (x: line.entersRight ? to.x + to.width : to.x, y: to.portY(line.to.row))
      var points = [start, (x: across(index, left), y: start.y)]
      if let gutter = crossing[index] {
        let y = ys[gutter] + 18 + Self.lane * Double(levels[index] ?? 0)
        points += [(x: across(index, left), y: y), (x: across(index, right), y: y)]
      }
      points += [(x: across(index, right), y: end.y), end]
      lines[index].points = points
    }
  }
}

extension String {
  /// The columns of a monospaced font that the text takes: two for what East Asian scripts write
  /// wide.
  var columns: Int {
    unicodeScalars.reduce(0) { count, scalar in
      switch scalar.value {
      case 0x300...0x36F, 0x200B...0x200F: count
      case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
        0xFF00...0xFF60,
        0x1F300...0x1FAFF, 0x20000...0x3FFFD:
        count + 2
      default: count + 1
      }
    }
  }
}
