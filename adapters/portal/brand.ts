import { createHash } from 'node:crypto'

/** How the pages of an embedder look and are named. */
export interface Brand {
  /** Stands in the bar, in titles and on the icon of an installed app. */
  readonly name: string
  /** Colours of links and buttons, `#rrggbb`, on light and on dark grounds. */
  readonly accent?: { readonly light: string; readonly dark: string }
  /** A picture for the bar and the tab, drawn in a square; a script in an SVG does not run. */
  readonly logo?: {
    readonly type: 'image/svg+xml' | 'image/png'
    readonly bytes: Uint8Array
  }
}

/** A file that a brand adds to the site, by its path. */
export interface BrandFile {
  readonly path: string
  readonly type: string
  readonly bytes: Uint8Array
}

/** Grounds on which text has the accent's colour: those of a page and of what is raised (`base.css`). */
const grounds = { light: ['#ffffff', '#f4f6f9'], dark: ['#14181e', '#1d232c'] } as const
/** Text on the accent's colour. */
const onAccent = ['#ffffff', '#0d1522'] as const
/** WCAG 2.2, 1.4.3. */
const leastContrast = 4.5

/** The page, with the name, colours and logo of a brand, and the files that it asks for. Throws for what could not be read. */
export function branded(
  page: string,
  manifest: string,
  { name, accent, logo }: Brand,
): { readonly page: string; readonly files: readonly BrandFile[] } {
  if (name.trim() === '') throw new Error('expected a name of the brand, got an empty one')
  const text = new TextEncoder()
  const icon =
    logo && fileOf('logo', logo.type === 'image/png' ? '.png' : '.svg', logo.type, logo.bytes)
  const style =
    accent && fileOf('brand', '.css', 'text/css; charset=utf-8', text.encode(styleOf(accent)))
  const app = fileOf(
    'brand',
    '.webmanifest',
    'application/manifest+json',
    text.encode(
      JSON.stringify({
        ...JSON.parse(manifest),
        name,
        ...(icon && { icons: [{ src: `/${icon.path}`, sizes: 'any', type: icon.type }] }),
      }),
    ),
  )
  const shown = escaped(name)
  const changes: readonly Change[] = [
    [/(<title>)[^<]*/, (_, before) => before + shown],
    [/(<meta name="application-name" content=")[^"]*/, (_, before) => before + shown],
    [/(<link rel="manifest" href=")[^"]*/, (_, before) => `${before}/${app.path}`],
    ...(icon
      ? [linked(/<link rel="icon"[^>]*>/, `icon" type="${icon.type}" data-logo`, icon)]
      : []),
    // After the site's own, so that its colours hold.
    ...(style ? [linked(/(?=<script )/, 'stylesheet"', style)] : []),
  ]
  const changed = changes.reduce((html, [found, by]) => {
    if (!found.test(html)) throw new Error(`expected ${found} in the page of the site`)
    return html.replace(found, by)
  }, page)
  return { page: changed, files: [app, icon, style].filter((file) => file !== undefined) }
}

type Change = readonly [found: RegExp, by: (found: string, before: string) => string]

const linked = (found: RegExp, rel: string, { path }: BrandFile): Change => [
  found,
  () => `<link rel="${rel} href="/${path}">\n`,
]

/** Under a name with its digest, as all files of the site, since it is kept for good. */
function fileOf(name: string, ending: string, type: string, bytes: Uint8Array): BrandFile {
  const digest = createHash('sha256').update(bytes).digest('hex').slice(0, 8).toUpperCase()
  return { path: `assets/${name}-${digest}${ending}`, type, bytes }
}

function styleOf({ light, dark }: NonNullable<Brand['accent']>): string {
  const text = { light: textOn(light, 'light'), dark: textOn(dark, 'dark') }
  return `:root { --accent: light-dark(${light}, ${dark}); --on-accent: light-dark(${text.light}, ${text.dark}); }\n`
}

/** The colour of text on an accent. Throws for one that could not be read on its ground, or under text. */
function textOn(accent: string, scheme: 'light' | 'dark'): string {
  for (const ground of grounds[scheme]) {
    const found = contrast(accent, ground)
    if (found < leastContrast)
      throw new Error(
        `expected an accent with a contrast of at least ${leastContrast} on ${ground}, got ${found.toFixed(2)} of ${accent}`,
      )
  }
  const [first, second] = onAccent
  return contrast(accent, first) >= contrast(accent, second) ? first : second
}

/** The contrast ratio of two colours (WCAG 2.2), 1 to 21. */
export function contrast(one: string, other: string): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a)
  return (light + 0.05) / (dark + 0.05)
}

function luminance(colour: string): number {
  const [, ...parts] = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(colour) ?? []
  if (parts.length !== 3) throw new Error(`expected a colour as #rrggbb, got ${colour}`)
  const [red = 0, green = 0, blue = 0] = parts.map((part) => {
    const share = Number.parseInt(part, 16) / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

const escaped = (text: string) => text.replace(/[&<>"]/g, (found) => `&#${found.charCodeAt(0)};`)
