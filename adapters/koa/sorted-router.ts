import Router from '@koa/router'

/**
 * A router that tries only the routes whose first segments a path has, `/v1/review-cases` for one: the library tries
 * every route with every request, a hundred of them and more.
 */
export class SortedRouter extends Router {
  /** Null where a route has a parameter or a pattern in its first segments. */
  #parts: ReadonlyMap<string, Router> | null = null
  #sorted = 0

  override match(path: string, method: string): ReturnType<Router['match']> {
    if (this.#sorted !== this.stack.length) {
      this.#parts = partsOf(this.stack)
      this.#sorted = this.stack.length
    }
    if (!this.#parts) return super.match(path, method)
    return (this.#parts.get(startOf(path)) ?? none).match(path, method)
  }
}

const none = new Router()

function partsOf(layers: Router['stack']): ReadonlyMap<string, Router> | null {
  const parts = new Map<string, Router>()
  for (const layer of layers) {
    const start = startOf(String(layer.path))
    if (!/^[\w./-]+$/.test(start)) return null
    const part = parts.get(start) ?? new Router()
    part.stack.push(layer)
    parts.set(start, part)
  }
  return parts
}

/** The first two segments of a path. */
function startOf(path: string): string {
  const second = path.indexOf('/', 1)
  const end = second === -1 ? -1 : path.indexOf('/', second + 1)
  return end === -1 ? path : path.slice(0, end)
}
