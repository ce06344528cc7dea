import ArgumentParser

/// The completion scripts of the argument parser, with what they lack.
///
/// They know nothing of a command's default subcommand, so behind `history STORE` they offer as little as
/// behind a wrong command; and Bash takes words apart at colons and equals signs, so they count its pieces
/// as arguments.
enum CompletionScript {
  /// A script, or another text unchanged.
  static func completed(_ text: String) -> String {
    if text.contains("\n_strongroom() {\n    local state\n") { return bash(text) }
    if text.hasPrefix("#compdef strongroom\n") { return zsh(text) }
    if text.contains("\nfunction __strongroom_parse_tokens") { return fish(text) }
    return text
  }

  private static let parent = name(HistoryCommand.self)
  private static let subcommands = HistoryCommand.configuration.subcommands.map(name)
  private static let standard = HistoryCommand.configuration.defaultSubcommand.map(name) ?? ""

  private static func name(_ command: any ParsableCommand.Type) -> String {
    command.configuration.commandName ?? ""
  }

  private static func bash(_ text: String) -> String {
    let names = subcommands.joined(separator: "|")
    let words = "    local -r cur=\"${2}\"\n    local -r prev=\"${3}\"\n"
    return text.replacing(words, with: bashWords, maxReplacements: 1)
      .replacing(
        "\n_strongroom_\(parent)() {\n",
        with: """

          _strongroom_\(parent)() {
              # Without a subcommand it is the default one.
              if [[ "${unparsed_words[0]}" != @(\(names)) ]] &&
                  [[ "${#unparsed_words[@]}" -gt 1 || "${cur}" = -* ]]; then
                  "_strongroom_\(parent)_\(standard)"
                  return
              fi
              # The first word may be the store of the default one.
              [[ "${#unparsed_words[@]}" -gt 1 ]] || __strongroom_add_completions -f

          """, maxReplacements: 1
      )
      .replacing(
        "\n}\n\n_strongroom_query() {\n",
        with: """

              # What is before the last colon of the word stays where it is.
              COMPREPLY=("${COMPREPLY[@]#"${cur%"${cur##*:}"}"}")
          }

          _strongroom_query() {

          """, maxReplacements: 1)
  }

  /// The words of the line up to the cursor, whole: an option and the value behind its equals sign are two.
  private static let bashWords = """
        local -a line=()
        local word last=""
        local -i index
        for ((index = 0; index <= COMP_CWORD; index++)); do
            word="${COMP_WORDS[index]}"
            [[ "${index}" -lt "${COMP_CWORD}" || "${word}" = [:=@] ]] || word="${2}"
            if [[ "${#line[@]}" -lt 2 || ! ("${word}" = [:=@] || "${last}" = [:=@]) ]]; then
                line+=("${word}")
            elif [[ "${word}" = "=" && "${line[-1]}" = --* ]]; then
                line+=("")
            else
                line[-1]+="${word}"
            fi
            last="${word}"
        done
        local -r cur="${line[-1]}"
        local -r prev="${line[-2]}"
        local -i COMP_CWORD="$((${#line[@]} - 1))"
        local COMP_LINE="${line[*]}"
        local -i COMP_POINT="${#COMP_LINE}"
        local -a COMP_WORDS=("${line[@]}")

    """

  private static func zsh(_ text: String) -> String {
    let names = subcommands.joined(separator: "|")
    return text.replacing(
      "\n_strongroom_\(parent)() {\n    local -i ret=1\n",
      with: """

        _strongroom_\(parent)() {
            local -i ret=1
            # Without a subcommand it is the default one, and the first word may be its store.
            if [[ "${words[2]}" != (\(names)) ]]; then
                if (( CURRENT > 2 )) || [[ "${words[2]}" = -* ]]; then
                    _strongroom_\(parent)_\(standard)
                    return
                fi
                _files && ret=0
            fi

        """, maxReplacements: 1)
  }

  private static func fish(_ text: String) -> String {
    let names = subcommands.joined(separator: " ")
    return text.replacing(
      "    set -l unparsed_tokens (__strongroom_tokens -pc)\n",
      with: """
            set -l unparsed_tokens (__strongroom_tokens -pc)
            # Without a subcommand it is the default one.
            if test "$unparsed_tokens[2]" = \(parent) -a (count $unparsed_tokens) -gt 2
                contains -- $unparsed_tokens[3] \(names)
                or set unparsed_tokens $unparsed_tokens[1..2] \(standard) $unparsed_tokens[3..]
            end

        """, maxReplacements: 1)
      + "complete -c 'strongroom' -F -n '__strongroom_should_offer_completions_for_positional"
      + " \"strongroom \(parent)\" -eq 1'\n"
  }
}
