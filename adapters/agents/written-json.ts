/** The JSON of a text; the text itself where it is none. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Arguments that others read: as text, unless it is the JSON that is read here, but for its space. */
export function asWritten(text: string): unknown {
  const read = parsed(text)
  const dense = text.replaceAll(/("(?:[^"\\]|\\.)*")|\s+/g, '$1')
  return JSON.stringify(read) === dense ? read : text
}
