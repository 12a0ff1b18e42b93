import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { create, type Font } from 'fontkit'
import { openTypeOf } from './woff.ts'

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

/** The bytes of font files by path, read once a thread. */
const read = new Map<string, Buffer>()

function bytesOf(file: string): Buffer {
  const known = read.get(file)
  if (known) return known
  const bytes = openTypeOf(readFileSync(file))
  read.set(file, bytes)
  return bytes
}

const families: readonly Family[] = ['Text', 'Mono', 'Wide', 'Last']
const weights = ['normal', 'bold'] as const
const fileOfName = new Map(
  families.flatMap((family) =>
    weights.map((weight) => [nameOf(family, weight), files[family][weight]] as const),
  ),
)

/** The fonts as pdfmake wants them, by names of `fontBytes`. */
export function fontDescriptors(): Record<Family, { normal: string; bold: string }> {
  const each = (family: Family) => ({
    normal: nameOf(family, 'normal'),
    bold: nameOf(family, 'bold'),
  })
  return { Text: each('Text'), Mono: each('Mono'), Wide: each('Wide'), Last: each('Last') }
}

/** The bytes of a font by its name; null for any other name. */
export function fontBytes(name: string): Buffer | null {
  const file = fileOfName.get(name)
  return file ? bytesOf(file()) : null
}

function nameOf(family: Family, weight: 'normal' | 'bold'): string {
  return `font ${family} ${weight}`
}

const opened = new Map<string, Font>()

function open(family: Family, bold: boolean): Font {
  const file = files[family][bold ? 'bold' : 'normal']()
  const known = opened.get(file)
  if (known) return known
  const font = create(bytesOf(file)) as Font
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

/** UTF-16 units of texts whose widths are kept: a longer piece of a text would keep all of it in memory. */
const longestKept = 12
/** Texts of a font whose widths are kept. */
const mostKept = 20_000
const widths = new Map<Font, Map<string, number>>()

/** Width of a text in points. */
export function widthOf(text: string, family: Family, bold: boolean, size: number): number {
  const font = open(family, bold)
  if (text.length > longestKept) return measured(font, text) * size
  const before = widths.get(font)
  const kept = before && before.size < mostKept ? before : new Map<string, number>()
  if (kept !== before) widths.set(font, kept)
  const width = kept.get(text) ?? measured(font, text)
  kept.set(text, width)
  return width * size
}

/** Of the font's own size. */
function measured(font: Font, text: string): number {
  return font.layout(text).advanceWidth / font.unitsPerEm
}

/** The direction in which a family's font lays out a text of one script: it goes by the script of its characters. */
export function shapedTowards(text: string, family: Family): 'ltr' | 'rtl' {
  return open(family, false).layout(text).direction === 'rtl' ? 'rtl' : 'ltr'
}
