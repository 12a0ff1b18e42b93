import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { create, type Font } from 'fontkit'

const { resolve } = createRequire(import.meta.url)
const roboto = (style: string) => resolve(`pdfmake/fonts/Roboto/Roboto-${style}.ttf`)
const dejaVu = (name: string) => resolve(`dejavu-fonts-ttf/ttf/${name}.ttf`)
const unifont = () => resolve('@fontsource/unifont/files/unifont-latin-400-normal.woff')

/**
 * `Text`: Latin, Greek, Cyrillic. `Wide`: also Arabic, Hebrew, Armenian, Georgian, symbols, some emoji. `Last`: nearly
 * all of the basic plane, CJK among it, in bitmap shapes. `Mono`: hashes and JSON.
 */
export type Family = 'Text' | 'Mono' | 'Wide' | 'Last'

/** The font files of each family; loaded when first used. */
const files: Readonly<
  Record<Family, { readonly normal: () => string; readonly bold: () => string }>
> = {
  Text: { normal: () => roboto('Regular'), bold: () => roboto('Medium') },
  Mono: { normal: () => dejaVu('DejaVuSansMono'), bold: () => dejaVu('DejaVuSansMono-Bold') },
  Wide: { normal: () => dejaVu('DejaVuSans'), bold: () => dejaVu('DejaVuSans-Bold') },
  Last: { normal: unifont, bold: unifont },
}

/** The fonts as pdfmake wants them, and the only files that it may read. */
export function fontDescriptors(): Record<Family, { normal: string; bold: string }> {
  const each = (family: Family) => ({
    normal: files[family].normal(),
    bold: files[family].bold(),
  })
  return { Text: each('Text'), Mono: each('Mono'), Wide: each('Wide'), Last: each('Last') }
}

const opened = new Map<string, Font>()

function open(family: Family, bold: boolean): Font {
  const file = files[family][bold ? 'bold' : 'normal']()
  const known = opened.get(file)
  if (known) return known
  const font = create(readFileSync(file)) as Font
  opened.set(file, font)
  return font
}

/** Whether a family has a glyph for a code point. */
export function covers(family: Family, codePoint: number): boolean {
  return open(family, false).hasGlyphForCodePoint(codePoint)
}

const chosen = new Map<number, Family | null>()

/** The first family with a glyph, beginning with `first`; null where none has one. */
export function familyFor(codePoint: number, first: 'Text' | 'Mono'): Family | null {
  const key = first === 'Mono' ? codePoint : -1 - codePoint
  const known = chosen.get(key)
  if (known !== undefined) return known
  const order: readonly Family[] = [first, 'Wide', 'Last']
  const family = order.find((each) => covers(each, codePoint)) ?? null
  chosen.set(key, family)
  return family
}

/** Width of a text in points. */
export function widthOf(text: string, family: Family, bold: boolean, size: number): number {
  const font = open(family, bold)
  return (font.layout(text).advanceWidth / font.unitsPerEm) * size
}

/** The direction in which a family's font lays out a text of one script: it goes by the script of its characters. */
export function shapedTowards(text: string, family: Family): 'ltr' | 'rtl' {
  return open(family, false).layout(text).direction === 'rtl' ? 'rtl' : 'ltr'
}
