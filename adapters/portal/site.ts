import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, extname, join } from 'node:path'
import type { Context, Middleware } from 'koa'
import { type Brand, branded } from './brand.ts'
import { headersOfWholePage, safetyHeaders } from './headers.ts'

// Found through the package, since a bundle of this module lies elsewhere.
const { resolve } = createRequire(import.meta.url)

/** Options of `portalSite`. */
export interface PortalSiteOptions {
  /** Where the built site lies; that of this package unless given. */
  readonly directory?: string
  /** Name, colours and logo in place of Countersign's; colours that could not be read are refused. */
  readonly brand?: Brand
}

/** A file as it is sent: its bytes, and what they are when compressed. */
interface Asset {
  readonly type: string
  readonly plain: Uint8Array
  readonly compressed: Readonly<Partial<Record<Coding, Uint8Array>>>
}

type Coding = 'br' | 'gzip'

/** Better first. */
const codings: readonly (readonly [Coding, string])[] = [
  ['br', '.br'],
  ['gzip', '.gz'],
]

const types: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.html': 'text/html; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
}

const shell = 'index.html'
/** The page that verifies evidence offline; it can be saved, and opens from a disk. */
const verifier = 'countersign-verify.html'
const yearInSeconds = 31_536_000

/** Paths of the portal's API, which the site leaves alone, whatever the browser says it would like. */
const isOfApi = (path: string) =>
  path.startsWith('/v1/') || path.startsWith('/.well-known/') || path.endsWith('.json')

/**
 * Serves the pages to browsers on the origin of the portal's API, whose requests it passes on. Files whose names hold
 * their digest are kept for good; the page around them is asked for each time. Throws where the site was not built.
 *
 * @example
 * ```ts
 * import { portalSite } from '@countersign/portal'
 *
 * createApp(portalRouter(options), { random, observer, middleware: [portalSite()] })
 * ```
 */
export function portalSite(options: PortalSiteOptions = {}): Middleware {
  const assets = readAssets(
    options.directory ?? join(dirname(resolve('@countersign/portal')), 'site'),
  )
  const built = assets.get(shell)
  if (!built) throw new Error(`expected ${shell} among the files of the site; build the package`)
  const page = options.brand ? applyBrand(options.brand, built, assets) : built
  const verifying = assets.get(verifier)
  const headersOfVerifier = verifying && headersOfWholePage(textOf(verifying))
  return async (ctx, next) => {
    if ((ctx.method !== 'GET' && ctx.method !== 'HEAD') || isOfApi(ctx.path)) return next()
    const asset = ctx.path.startsWith('/assets/') ? assets.get(ctx.path.slice(1)) : undefined
    if (asset) return send(ctx, asset, `public, max-age=${yearInSeconds}, immutable`)
    if (verifying && ctx.path === `/${verifier}`)
      return send(ctx, verifying, 'no-cache', headersOfVerifier)
    // A file of an earlier build, or a guess: no page stands in for it.
    if (ctx.path.startsWith('/assets/') || !ctx.get('Accept').includes('text/html')) return next()
    send(ctx, page, 'no-store')
  }
}

const textOf = ({ plain }: Asset) => Buffer.from(plain).toString()

/** The page of a brand, whose files are added to the others. */
function applyBrand(brand: Brand, built: Asset, assets: Map<string, Asset>): Asset {
  const manifest = [...assets].find(([name]) => name.endsWith('.webmanifest'))?.[1]
  const { page, files } = branded(textOf(built), manifest ? textOf(manifest) : '{}', brand)
  for (const { path, type, bytes } of files)
    assets.set(path, { type, plain: bytes, compressed: {} })
  return { type: built.type, plain: Buffer.from(page), compressed: {} }
}

function send(
  ctx: Context,
  { type, plain, compressed }: Asset,
  cacheControl: string,
  headers = safetyHeaders,
): void {
  ctx.set({ ...headers, 'Cache-Control': cacheControl, Vary: 'Accept-Encoding' })
  const coding = ctx.acceptsEncodings([...Object.keys(compressed), 'identity'])
  const bytes = (coding && compressed[coding as Coding]) || plain
  if (bytes !== plain) ctx.set('Content-Encoding', String(coding))
  ctx.type = type
  ctx.body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

function readAssets(directory: string): Map<string, Asset> {
  const names = readdirSync(directory, { recursive: true, encoding: 'utf8' })
  const read = (name: string) => readFileSync(join(directory, name))
  return new Map(
    names.flatMap((name) => {
      const type = types[extname(name)]
      if (!type) return []
      const compressed = Object.fromEntries(
        codings.flatMap(([coding, ending]) =>
          names.includes(name + ending) ? [[coding, read(name + ending)]] : [],
        ),
      )
      return [[name.replaceAll('\\', '/'), { type, plain: read(name), compressed }] as const]
    }),
  )
}
