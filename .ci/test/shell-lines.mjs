// The commands of a block of shell, as words: enough for what documents show, which `bash -n` reads besides.

/** Commands with their settings: `words` without quotes, `settings` (`NAME=…` before the command) by name. */
export function commandsOf(code) {
  const joined = code.replace(/\\\n\s*/g, ' ')
  return joined
    .split('\n')
    .flatMap(splitLine)
    .map(wordsOf)
    .filter(({ words, settings }) => words.length > 0 || settings.length > 0)
}

/** A line's commands: cut at `&&`, `||`, `|`, `;` and `&` outside quotes, without its comment; `$(…)` is one more each. */
function splitLine(line) {
  const commands = ['']
  const inner = [...line.matchAll(/\$\(([^()]*)\)/g)].map(([, command]) => command)
  const marks = line
    .replace(/\$\([^()]*\)/g, 'SUBSTITUTED')
    .matchAll(/"[^"]*"|'[^']*'|(?<=^|\s)#.*|&&|\|\||[|;&]|[^"'#|;&]+|#/g)
  for (const [part] of marks) {
    if (/^(#.*|&&|\|\||[|;&])$/.test(part) && part !== '#') {
      if (!part.startsWith('#')) commands.push('')
    } else commands[commands.length - 1] += part
  }
  return [...commands, ...inner]
}

function wordsOf(command) {
  const all = [...command.matchAll(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g)].map(([word]) => word)
  const first = all.findIndex((word) => !/^(export$|[A-Z_]+=)/.test(word))
  const count = first < 0 ? all.length : first
  return {
    settings: all
      .slice(0, count)
      .filter((word) => word !== 'export')
      .map((word) => word.split('=')[0]),
    words: all.slice(count).map((word) => word.replace(/^(["'])(.*)\1$/s, '$2')),
  }
}
