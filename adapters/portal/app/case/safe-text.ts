/** A stretch of a text from strangers, and why it stands out. */
export interface Piece {
  /** `plain`: as it came; `hidden`: names of characters that can not be seen; `lookalike`: a word that reads as another. */
  readonly kind: 'plain' | 'hidden' | 'lookalike'
  readonly text: string
}

/**
 * Characters that can not be seen, that move others, or that pile up over what stands beside them: marks from the fourth
 * on. A space, a tab and a line's end can be told from where they stand.
 */
const hidden =
  /(?<=\p{M}{3})\p{M}|(?![ \t\n])[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Zs}\p{Default_Ignorable_Code_Point}\u2800]/u
const standsOut = new RegExp(
  `((?:${hidden.source})+)|(?:(?!(?:${hidden.source}))[\\p{L}\\p{M}\\p{N}])+`,
  'gu',
)
const plainAscii = /^[\x20-\x7e\t\n]*$/

/** Each of these, mixed with another within one word, makes a word that reads as what it is not. */
const scripts = [
  /\p{Script=Latin}/u,
  /\p{Script=Cyrillic}/u,
  /\p{Script=Greek}/u,
  /\p{Script=Armenian}/u,
  /\p{Script=Georgian}/u,
  /\p{Script=Cherokee}/u,
  /\p{Script=Coptic}/u,
  /\p{Script=Lisu}/u,
  /\p{Script=Hebrew}/u,
  /\p{Script=Arabic}/u,
]
/** Letters that are drawn as Latin ones: styled, wide, and those of words that hold no others. */
const styled = /[\u{ff21}-\u{ff3a}\u{ff41}-\u{ff5a}\u{1d400}-\u{1d7ff}\u{24b6}-\u{24e9}]/u
const allAlike =
  /^[\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0455\u0456\u0458\u04bb\u0501\u051b\u051d\u0410\u0412\u0415\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0425\u0405\u0406\u0408\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7\u03bf\u03c1\u03bd]{3,}$/u

/** Beyond so many pieces a text is one piece in which hidden characters are named all the same. */
const mostPieces = 2_000

/** Whether a word mixes scripts, or is drawn as a word of Latin letters that it is not. */
export function isLookalike(word: string): boolean {
  if (plainAscii.test(word)) return false
  return (
    styled.test(word) ||
    allAlike.test(word) ||
    scripts.filter((script) => script.test(word)).length > 1
  )
}

/** A text in pieces; its hidden characters by their code points, so that what is drawn is all that is there. */
export function piecesOf(text: string): readonly Piece[] {
  if (plainAscii.test(text)) return text === '' ? [] : [{ kind: 'plain', text }]
  const pieces: Piece[] = []
  let plain = ''
  const put = (kind: Piece['kind'], piece: string) => {
    if (plain !== '') pieces.push({ kind: 'plain', text: plain })
    plain = ''
    pieces.push({ kind, text: piece })
  }
  let at = 0
  for (const { 0: found, 1: unseen, index } of text.matchAll(standsOut)) {
    plain += text.slice(at, index)
    at = index + found.length
    if (unseen !== undefined) put('hidden', named(found))
    else if (isLookalike(found)) put('lookalike', found)
    else plain += found
  }
  plain += text.slice(at)
  if (plain !== '') pieces.push({ kind: 'plain', text: plain })
  if (pieces.length <= mostPieces) return pieces
  return [{ kind: 'plain', text: pieces.map((piece) => piece.text).join('') }]
}

/** Code points of hidden characters, each run of one told once with its length. */
function named(characters: string): string {
  const runs: { readonly point: string; count: number }[] = []
  for (const character of characters) {
    const code = character.codePointAt(0) ?? 0
    const point = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`
    const last = runs.at(-1)
    if (last?.point === point) last.count++
    else runs.push({ point, count: 1 })
  }
  return runs.map(({ point, count }) => `⟦${point}${count > 1 ? ` ×${count}` : ''}⟧`).join('')
}

/** Characters of a run; a browser lays out runs that are out of view only when they come into it. */
const runLength = 4_000

/** Long texts in runs, cut at the ends of lines or words where there are any. */
export function runsOf(pieces: readonly Piece[]): readonly (readonly Piece[])[] {
  const runs: Piece[][] = []
  let run: Piece[] = []
  let length = 0
  for (const { kind, text } of pieces)
    for (let from = 0; from < text.length; ) {
      const end = kind === 'plain' ? cutOf(text, from, runLength - length) : text.length
      const piece = text.slice(from, end)
      run.push({ kind, text: piece })
      length += piece.length
      from = end
      if (length >= runLength || from < text.length) {
        runs.push(run)
        run = []
        length = 0
      }
    }
  if (run.length > 0) runs.push(run)
  return runs
}

/** Where a run ends that has so much room, at least one character on. */
function cutOf(text: string, from: number, room: number): number {
  const most = from + Math.max(room, 1)
  if (most >= text.length) return text.length
  const line = text.lastIndexOf('\n', most - 1)
  if (line >= from) return line + 1
  const word = text.lastIndexOf(' ', most - 1)
  if (word >= from) return word + 1
  return /^[\uDC00-\uDFFF]/.test(text.charAt(most)) ? most + 1 : most
}

/** What a reader is warned of beside the text. */
export interface Warnings {
  readonly hidden: boolean
  readonly lookalike: boolean
}

export function warningsOf(text: string): Warnings {
  if (plainAscii.test(text)) return { hidden: false, lookalike: false }
  let lookalike = false
  for (const [word] of text.matchAll(/[\p{L}\p{M}\p{N}]+/gu)) lookalike ||= isLookalike(word)
  return { hidden: hidden.test(text), lookalike }
}

/** A text in one line with hidden characters named: for titles, labels and lists. */
export function plainLine(text: string, longest = 200): string {
  const line = piecesOf(text)
    .map((piece) => piece.text)
    .join('')
    .replace(/\s+/g, ' ')
    .trim()
  if (line.length <= longest) return line
  return `${line.slice(0, longest - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}
