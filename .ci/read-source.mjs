// Reads a TypeScript or JavaScript file far enough to see its imports, its code without strings and
// comments, and its strings. TypeScript 7 has no API to ask, and a lexer for JavaScript stumbles over types.

const identifier = /[\w$]/
/** Words after which a slash begins a regular expression, not a division. */
const beforeExpression = new Set(
  'return typeof case in of delete void throw new else do yield await instanceof'.split(' '),
)

/**
 * `code` has the length of `text`; comments, the inside of strings and of regular expressions are blanks there.
 * `strings` are the literals, each `{start, value}`, a template with `${…}` as its separate parts.
 */
export function readSource(text) {
  const code = text.split('')
  const strings = []
  /** Depths of braces at which a `${` was opened. */
  const templates = []
  let depth = 0
  let last = ''
  let word = ''
  let i = 0

  const blank = (from, to) => {
    for (let at = from; at < to; at++) if (code[at] !== '\n') code[at] = ' '
  }
  const skipTo = (end) => {
    blank(i, end)
    i = end
  }
  const readTemplate = () => {
    const start = i
    while (i < text.length && text[i] !== '`' && !text.startsWith('${', i))
      i += text[i] === '\\' ? 2 : 1
    blank(start, i)
    strings.push({ start, value: text.slice(start, i) })
    if (text[i] === '`') i += 1
    else {
      templates.push(depth)
      depth += 1
      i += 2
    }
  }

  while (i < text.length) {
    const char = text[i]
    if (text.startsWith('//', i) || (i === 0 && text.startsWith('#!'))) {
      const end = text.indexOf('\n', i)
      skipTo(end < 0 ? text.length : end)
      continue
    }
    if (text.startsWith('/*', i)) {
      const end = text.indexOf('*/', i + 2)
      skipTo(end < 0 ? text.length : end + 2)
      continue
    }
    if (/\s/.test(char)) {
      i += 1
      continue
    }
    if (identifier.test(char)) {
      const start = i
      while (i < text.length && identifier.test(text[i])) i += 1
      word = text.slice(start, i)
      last = 'word'
      continue
    }
    if (char === "'" || char === '"') {
      const start = i + 1
      i = start
      while (i < text.length && text[i] !== char && text[i] !== '\n') i += text[i] === '\\' ? 2 : 1
      blank(start, i)
      strings.push({ start, value: text.slice(start, i) })
      i += 1
    } else if (char === '`') {
      i += 1
      readTemplate()
    } else if (char === '}' && templates.at(-1) === depth - 1) {
      templates.pop()
      depth -= 1
      i += 1
      readTemplate()
    } else if (
      char === '/' &&
      !(last === 'word' ? !beforeExpression.has(word) : /[)\]'"`]/.test(last))
    ) {
      const start = i + 1
      let inClass = false
      for (i = start; i < text.length && text[i] !== '\n'; i++) {
        if (text[i] === '\\') i += 1
        else if (text[i] === '[') inClass = true
        else if (text[i] === ']') inClass = false
        else if (text[i] === '/' && !inClass) break
      }
      blank(start, i)
      i += 1
    } else {
      if (char === '{') depth += 1
      if (char === '}') depth -= 1
      i += 1
    }
    last = text[i - 1] ?? ''
    word = ''
  }
  return { text, code: code.join(''), strings }
}

const clause =
  /\b(?:import|export)\s+(?<type>type\s+(?!from\b\s*['"]))?(?:[\w$]+\s*,?\s*)?(?:\{[^{}]*\}|\*(?:\s+as\s+[\w$]+)?)?\s*from\s*(?=['"])/g
const others = [
  /\bimport\s*(?=['"])/g,
  /(?<type>\btypeof\s+)?\b(?:import|require)\s*\(\s*(?=['"`])/g,
]

/** Every module that the source names: `{specifier, typeOnly, line}`; `import('x')` and `require('x')` included. */
export function importsOf({ text, code, strings }) {
  const literals = new Map(strings.map(({ start, value }) => [start, value]))
  const found = []
  for (const pattern of [clause, ...others])
    for (const match of code.matchAll(pattern)) {
      const start = match.index + match[0].length + 1
      const specifier = literals.get(start)
      if (specifier === undefined) continue
      found.push({
        specifier,
        typeOnly: match.groups?.type !== undefined,
        line: lineOf(text, start),
      })
    }
  return found.sort((a, b) => a.line - b.line)
}

export function lineOf(text, offset) {
  let line = 1
  for (let at = text.indexOf('\n'); at >= 0 && at < offset; at = text.indexOf('\n', at + 1))
    line += 1
  return line
}
