import { inflateSync } from 'node:zlib'

interface PdfObject {
  readonly head: string
  readonly stream: Buffer | null
}

/** The texts of a PDF's pages, forms included, in the order in which they are drawn. For what this package writes alone. */
export function pagesOf(pdf: Uint8Array): readonly string[] {
  const objects = objectsOf(Buffer.from(pdf))
  const get = (id: string | undefined): PdfObject =>
    objects.get(id ?? '') ?? { head: '', stream: null }
  const fonts = new Map<string, ReadonlyMap<number, string>>()

  function lettersOf(id: string): ReadonlyMap<number, string> {
    const known = fonts.get(id)
    if (known) return known
    const [, map] = /\/ToUnicode (\d+) 0 R/.exec(get(id).head) ?? []
    const made = unicodeOf(get(map).stream?.toString('latin1') ?? '')
    fonts.set(id, made)
    return made
  }

  function textOf(content: Buffer | null, resources: string): string {
    const named = new Map(
      [...resources.matchAll(/\/(\w+) (\d+) 0 R/g)].map(([, name, id]) => [name, id]),
    )
    let letters: ReadonlyMap<number, string> = new Map()
    let text = ''
    const tokens = /\/(\w+) [\d.]+ Tf|<([0-9a-f]+)>|\/(\w+) Do|\b(ET)\b/g
    for (const [, font, glyphs, form, end] of (content?.toString('latin1') ?? '').matchAll(
      tokens,
    )) {
      if (font) letters = lettersOf(named.get(font) ?? '')
      else if (glyphs)
        for (const [glyph] of glyphs.matchAll(/.{4}/g))
          text += letters.get(Number.parseInt(glyph, 16)) ?? '?'
      else if (form) {
        const { head, stream } = get(named.get(form))
        text += textOf(stream, head)
      } else if (end) text += ' '
    }
    return text
  }

  const root = [...objects.values()].find(({ head }) => /\/Type \/Pages\b/.test(head))
  const [, kids = ''] = /\/Kids \[([^\]]*)\]/.exec(root?.head ?? '') ?? []
  return [...kids.matchAll(/(\d+) 0 R/g)].map(([, id]) => {
    const { head } = get(id)
    const [, content] = /\/Contents (\d+) 0 R/.exec(head) ?? []
    const [, resources] = /\/Resources (\d+) 0 R/.exec(head) ?? []
    return textOf(get(content).stream, get(resources).head)
  })
}

function objectsOf(pdf: Buffer): ReadonlyMap<string, PdfObject> {
  const text = pdf.toString('latin1')
  const objects = new Map<string, PdfObject>()
  for (const found of text.matchAll(/(?:^|\n)(\d+) 0 obj\n/g)) {
    const from = found.index + found[0].length
    const [, length] = /^<<[\s\S]*?\/Length (\d+)/.exec(text.slice(from, from + 2_000)) ?? []
    const begin = text.indexOf('stream\n', from)
    const end = text.indexOf('endobj', from)
    const isStream = length !== undefined && begin > 0 && begin < end
    const head = text.slice(from, isStream ? begin : end)
    const bytes = isStream ? pdf.subarray(begin + 7, begin + 7 + Number(length)) : null
    const isPacked = head.includes('/FlateDecode')
    objects.set(found[1] ?? '', { head, stream: bytes && isPacked ? inflateSync(bytes) : bytes })
  }
  return objects
}

function unicodeOf(map: string): ReadonlyMap<number, string> {
  const letters = new Map<number, string>()
  for (const [, first = '', list = ''] of map.matchAll(/<([0-9a-f]+)> <[0-9a-f]+> \[([^\]]*)\]/g)) {
    let glyph = Number.parseInt(first, 16)
    for (const [, codes = ''] of list.matchAll(/<([0-9a-f ]*)>/g)) {
      const units = codes.replaceAll(' ', '').match(/.{4}/g) ?? []
      letters.set(glyph++, String.fromCharCode(...units.map((unit) => Number.parseInt(unit, 16))))
    }
  }
  return letters
}
