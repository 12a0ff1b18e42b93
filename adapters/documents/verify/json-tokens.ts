const quote = '"'
const backslash = 92

/**
 * The texts of a JSON text, each with its quotes, and what `others` matches between them, in their order. A text may be as
 * long as it likes: an expression that matches one keeps a place to go back to for each character, and runs out of them.
 */
export function* jsonTokens(text: string, others: RegExp): Generator<string> {
  const next = new RegExp(`${quote}|${others.source}`, 'g')
  for (let found = next.exec(text); found !== null; found = next.exec(text)) {
    if (found[0] !== quote) {
      yield found[0]
      continue
    }
    const end = endOfText(text, found.index)
    yield text.slice(found.index, end)
    next.lastIndex = end
  }
}

/** Where a text ends that begins here: behind the next quote that an even number of backslashes precedes. */
function endOfText(text: string, start: number): number {
  for (let at = text.indexOf(quote, start + 1); at !== -1; at = text.indexOf(quote, at + 1)) {
    let slashes = 0
    while (text.charCodeAt(at - 1 - slashes) === backslash) slashes += 1
    if (slashes % 2 === 0) return at + 1
  }
  return text.length
}
