import Foundation
import ObjectModel
import Testing

@Suite("Default values in model files")
struct DefaultValueTests {
  private func value(_ type: String, _ text: String) throws -> AttributeValue? {
    let xml = """
      <model><entity name="Item">
      <attribute name="value" optional="YES" attributeType="\(type)" defaultValueString="\(text)"/>
      </entity></model>
      """
    return try ModelDeclaration.read(xcdatamodelContents: Data(xml.utf8)).description.entities[0]
      .attributes[0].defaultValue
  }

  @Test("whole numbers are exact, also those that no double has")
  func wholeNumbers() throws {
    for number in [Int64.max, .min, (1 << 53) + 1, 0] {
      #expect(try value("Integer 64", String(number)) == .integer(number))
    }
    #expect(try value("Integer 32", "NO") == 0)
    #expect(try value("Integer 16", "1.0") == 1)
    #expect(try value("Integer 16", "40000") == nil)
  }

  @Test("an empty text is a value of a text only")
  func empty() throws {
    #expect(try value("String", "") == "")
    for type in ["Binary", "Transformable", "URI", "UUID", "Integer 16", "Decimal"] {
      #expect(try value(type, "") == nil)
    }
  }
}
