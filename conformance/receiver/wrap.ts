/** Lines of at most so many characters, broken at spaces. */
export function wrap(text: string, width = 100): readonly string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + word.length + 1 > width) {
      lines.push(line)
      line = ''
    }
    line += line === '' ? word : ` ${word}`
  }
  return [...lines, line]
}

/** Each line but the first two deeper. */
export const indented = (lines: readonly string[], by: string): readonly string[] =>
  lines.map((line, at) => (at === 0 ? by : `${by}  `) + line)
