"""Compares a forecast with what the reference says of the same step."""


def compare_issues(step, forecast):
    """The differences between the reasons of a refusal."""
    said = {(issue["kind"], issue.get("entityName"), issue.get("propertyName")): issue["objectCount"]
            for issue in forecast["issues"]}
    for place in sorted(set(said) | set(step.issues), key=str):
        if place not in said:
            yield "the forecast does not say %s (%d objects)" % (words(place), step.issues[place])
        elif place not in step.issues:
            yield "the forecast says %s (%d objects), which is not so" % (words(place), said[place])
        elif said[place] != step.issues[place]:
            yield "the forecast says %s of %d objects, which are %d" % (
                words(place), said[place], step.issues[place])


def words(place):
    return " ".join(part for part in place if part)


def compare(step, losses, forecast):
    """The differences between the counts of a forecast and those of the reference."""
    entities = {entity["name"]: entity for entity in forecast["entities"] if entity["change"] != "dropped"}
    dropped = {entity["name"]: entity for entity in forecast["entities"] if entity["change"] == "dropped"}
    yield from of_entities(step, entities, dropped)
    said = {False: {}, True: {}}
    for entity in forecast["entities"]:
        for item in entity["properties"]:
            if item["droppedCount"]:
                place = (entity.get("formerName") or entity["name"], item["name"])
                said[item["isRelationship"]][place] = item["droppedCount"]
    for what, mine, theirs in (
            ("values", losses.values, said[False]), ("references", losses.links, said[True])):
        for place in sorted(set(mine) | set(theirs)):
            if mine.get(place, 0) != theirs.get(place, 0):
                yield "%s.%s drops %d %s, the forecast says %d" % (
                    place + (mine.get(place, 0), what, theirs.get(place, 0)))
    for name, count in (("droppedValueCount", sum(losses.values.values())),
                        ("droppedReferenceCount", losses.pairs)):
        if forecast[name] != count:
            yield "%s is %d, the forecast says %d" % (name, count, forecast[name])


def of_entities(step, entities, dropped):
    for name, entity in step.new.entities.items():
        old = step.mapping.entities.get(name)
        change = "added" if old is None else "unchanged" if old.name == name else "renamed"
        said = entities.get(name)
        if said is None:
            yield "the forecast leaves %s out" % name
            continue
        count = len(step.document.of(old.name)) if old else 0
        if said["change"] != change or said["objectCount"] != count:
            yield "%s is %s with %d objects, the forecast says %s with %d" % (
                name, change, count, said["change"], said["objectCount"])
        yield from of_properties(step, entity, said)
    for name in step.old.entities:
        if name in step.mapping.new_of:
            continue
        count = len(step.document.of(name))
        if dropped.get(name, {}).get("objectCount") != count:
            yield "%s is dropped with %d objects, the forecast says %s" % (
                name, count, dropped.get(name, {}).get("objectCount"))


def of_properties(step, entity, forecast):
    said = {item["name"]: item for item in forecast["properties"] if item["change"] != "dropped"}
    for item in entity.own_attributes + entity.own_relationships:
        is_attribute = hasattr(item, "type")
        matches = step.mapping.attributes if is_attribute else step.mapping.relationships
        formers = [matches[new.name].get(item.name) for new, _ in step.mapping.present(entity)]
        former = next((part for part in formers if part is not None), None)
        if former is None:
            change = "added"
        elif former.type != item.type if is_attribute else former.to_many != item.to_many:
            change = "converted"
        else:
            change = "unchanged" if former.name == item.name else "renamed"
        place = (entity.name, item.name)
        if item.name not in said:
            yield "the forecast leaves %s.%s out" % place
            continue
        count = step.defaulted.get(place, 0)
        if (said[item.name]["change"], said[item.name]["defaultedCount"]) != (change, count):
            yield "%s.%s is %s with %d defaults, the forecast says %s with %d" % (
                place + (change, count, said[item.name]["change"], said[item.name]["defaultedCount"]))
