// One object: its values, and what it is linked with.
import { ask, counted, el, entityNamed, model, objectLink, place, shown, unfolded, valueAddress } from "./page.js";
import { attributeEditor, deleteObject, linkEditor, unlinkButton } from "./editing.js";

function value(object, property) {
  const one = property.value;
  const address = valueAddress(object.entity, object.number, property.name, false);
  const save = el("a", { href: address, download: "" }, "download");
  switch (one.kind) {
    case "picture":
      return [el("img", { src: valueAddress(object.entity, object.number, property.name, true), alt: property.name }), el("p", {}, one.text, " ", save)];
    case "bytes":
      return [one.text, " ", save];
    case "structure":
      return [el("pre", {}, unfolded(one.text)), one.isCut ? save : null];
    default:
      return [shown(one), one.isCut ? [" ", save] : null];
  }
}

function destinations(object, property, relationship) {
  if (property.links === undefined) {
    return property.link ? [objectLink(property.link), unlinkButton(object, relationship, property.link)] : [el("span", { class: "quiet" }, "none")];
  }
  const more = property.count - property.links.length;
  return [
    el("span", { class: "quiet" }, counted(property.count, "object")),
    el("ul", { class: "links" }, ...property.links.map((link) => el("li", {}, objectLink(link), unlinkButton(object, relationship, link)))),
    more > 0 ? el("a", { href: place(["object", object.entity, String(object.number)], { first: "1000" }) }, `${more.toLocaleString("en")} more`) : null,
  ];
}

export async function showObject([name, number], parameters) {
  const object = await ask("object", { entity: name, number, first: parameters.first });
  const entity = entityNamed(object.entity);
  const rows = object.properties.map((property) => {
    const attribute = entity.attributes.find((one) => one.name === property.name);
    const relationship = entity.relationships.find((one) => one.name === property.name);
    const isEdited = model.isWritable && !object.isDeleted;
    return el("tr", { class: property.isChanged ? "changed" : undefined, "data-property": property.name },
      el("th", { scope: "row" }, property.name, el("span", { class: "type" }, attribute ? attribute.type : relationship.destination)),
      el("td", {},
        relationship ? destinations(object, property, relationship)
          : (isEdited && attributeEditor(object, attribute, property.value)) || value(object, property),
        isEdited && relationship ? linkEditor(object, relationship, property.link) : null,
        el("p", { class: "problem", "data-problem": property.name, role: "alert" })));
  });
  return [
    el("h2", { "data-deleted": object.isDeleted, "data-new": object.version === 0 }, object.title, object.isDeleted ? " (deleted, not saved)" : ""),
    el("p", { class: "quiet" },
      el("a", { href: place(["objects", object.entity]) }, object.entity), ` № ${object.number}, version ${object.version} `,
      el("code", {}, object.uri),
      model.isWritable && !object.isDeleted ? el("button", { class: "danger", onclick: () => deleteObject(object) }, "Delete") : null),
    el("table", { class: "properties" }, el("tbody", {}, ...rows)),
  ];
}
