import type { Middleware } from 'koa'

/** Of a page that loads and runs nothing, and that nobody frames. */
export const rootHeaders = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': "default-src 'none'; base-uri 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
} as const

/** The page of an ingest listener: its callers are programs, and people have the portal. */
export function ingestPage(portalUrl: string): Middleware {
  return atRoot(
    page('Countersign: ingest API', 'Applications and agents connect here, with a key.', [
      [`${portalUrl}/`, 'the portal, where people decide'],
      ['/openapi.json', 'the description of this API'],
    ]),
  )
}

/** The page of the staff listener. */
export function staffPage(): Middleware {
  return atRoot(
    page('Countersign: staff listener', 'Health, metrics and the staff API, for operators.', [
      ['/livez', 'whether the process lives'],
      ['/readyz', 'whether it can take work'],
      ['/metrics', 'metrics for Prometheus'],
      ['/api.html', 'the APIs and events, described'],
    ]),
  )
}

/** The page of the receiver that `npm start` runs beside the server. */
export const receiverPage = page(
  'Countersign: demo receiver',
  'An endpoint as a customer has it: it takes events at /events and outcomes at /outcomes, signed, by POST.',
  [['/livez', 'whether it lives']],
)

/** Answers browsers at the root; everything else is the API's. */
function atRoot(html: string): Middleware {
  return (ctx, next) => {
    const isRead = ctx.method === 'GET' || ctx.method === 'HEAD'
    if (!isRead || ctx.path !== '/' || !ctx.get('Accept').includes('text/html')) return next()
    ctx.set(rootHeaders)
    ctx.body = html
    return undefined
  }
}

function page(
  title: string,
  text: string,
  links: readonly (readonly [href: string, says: string])[],
): string {
  const items = links.map(
    ([href, says]) => `<li><a href="${escaped(href)}">${escaped(href)}</a>: ${escaped(says)}</li>`,
  )
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>${escaped(title)}</title></head>
<body><h1>${escaped(title)}</h1><p>${escaped(text)}</p><ul>${items.join('')}</ul></body>
</html>
`
}

const entities = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' } as const

function escaped(text: string): string {
  return text.replaceAll(/[&<>"]/g, (character) => entities[character as keyof typeof entities])
}
