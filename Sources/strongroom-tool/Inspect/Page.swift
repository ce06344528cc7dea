import Foundation

/// The files of the page, which are part of the program.
enum Page {
  static func file(_ name: String) -> Answer? {
    switch name {
    case "": Answer(Data(PackageResources.index_html), "text/html; charset=utf-8")
    case "icon.svg": Answer(Data(PackageResources.icon_svg), "image/svg+xml")
    case "style.css": Answer(Data(PackageResources.style_css), "text/css; charset=utf-8")
    case "main.js": script(PackageResources.main_js)
    case "page.js": script(PackageResources.page_js)
    case "objects.js": script(PackageResources.objects_js)
    case "object.js": script(PackageResources.object_js)
    case "model.js": script(PackageResources.model_js)
    case "query.js": script(PackageResources.query_js)
    case "history.js": script(PackageResources.history_js)
    case "store.js": script(PackageResources.store_js)
    case "conflicts.js": script(PackageResources.conflicts_js)
    case "editing.js": script(PackageResources.editing_js)
    default: nil
    }
  }

  private static func script(_ bytes: [UInt8]) -> Answer {
    Answer(Data(bytes), "text/javascript; charset=utf-8")
  }
}
