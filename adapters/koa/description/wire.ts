/** The tables of core/docs/interface.md, from which descriptions take their words. */
export interface Wire {
  /** Rows of the table under a heading, without its head; none where there is no such table. */
  rowsUnder(heading: string): readonly (readonly string[])[]
}

/** Reads the text of core/docs/interface.md. */
export function readWire(text: string): Wire {
  const parts = text.split(/^#+ /m)
  return {
    rowsUnder(heading) {
      const section = parts.find((part) => part.startsWith(`${heading}\n`)) ?? ''
      return section
        .split('\n')
        .filter((line) => line.startsWith('|'))
        .slice(2)
        .map((line) => line.split('|').slice(1, -1).map(plain))
    },
  }
}

/** A text without its links, which lead nowhere outside of the file. */
export function plain(cell: string): string {
  return cell.trim().replace(/\[([^\]]+)\]\(#[^)]*\)/g, '$1')
}

/** A clause as a sentence. */
export function sentence(clause: string): string {
  return clause === '' ? '' : `${clause.charAt(0).toUpperCase()}${clause.slice(1)}.`
}
