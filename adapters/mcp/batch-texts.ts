/** The texts of the elements of a JSON array, each as it is written. */
export function elementsOf(text: string): string[] {
  const elements: string[] = []
  // Of the same length. An alternation that repeats, as of escapes in a text, overflows the stack in long ones.
  const unescaped = text.replaceAll(/\\./g, '  ')
  let levels = 0
  let from = 0
  for (const { 0: token, index } of unescaped.matchAll(/"[^"]*"|[[\]{},]/g)) {
    const isEnd = (token === ',' && levels === 1) || (token === ']' && levels === 1)
    if (isEnd) elements.push(text.slice(from, index).trim())
    if (token === '[' || token === '{') levels++
    if (token === ']' || token === '}') levels--
    if (isEnd || (token === '[' && levels === 1)) from = index + 1
  }
  // That of an empty array.
  return elements.filter((each) => each !== '')
}

/**
 * The lines that are left of a server's, as they are written: what is read may have lost digits of a number. Of a batch
 * with messages that are not for the client, each other one is a line by itself.
 */
export function linesLeft(line: string, isTaken: (message: unknown) => boolean): string[] {
  const read = messageIn(line)
  if (!Array.isArray(read)) return isTaken(read) ? [] : [line]
  const texts = elementsOf(line)
  const left = texts.filter((text) => !isTaken(messageIn(text)))
  return left.length === texts.length ? [line] : left
}

/** The JSON of a text; null for what is none, which is the client's to read. */
function messageIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
