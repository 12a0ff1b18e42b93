import type { Observer, Random } from '@countersign/core/ports'
import type Router from '@koa/router'
import Koa, { type Middleware } from 'koa'
import { type Answers, createAnswers } from './answers.ts'
import { type BodyRoom, createBodyRoom } from './body-room.ts'
import { boundAnswers } from './bound-answers.ts'
import { callerAddress } from './caller-address.ts'
import { requestContext } from './request-context.ts'
import { closeUnread } from './unread-body.ts'

/** A Koa app that serves a router as the interface asks: one form of errors, request ids, 405 with Allow. */
export function createApp(
  router: Router,
  options: {
    readonly random: Random
    readonly observer: Observer
    /** Of the host's own, such as metrics; sees every request once it has its id. */
    readonly middleware?: readonly Middleware[]
    /**
     * Proxies in front, each of which appends to `X-Forwarded-For` whom it heard from: so many of its last entries
     * are believed, the first of which is the caller's address. 0 unless given: the header is ignored.
     */
    readonly trustedProxies?: number
    /** Bounds the memory of answers; apps of one process share it. One of its own unless given. */
    readonly answers?: Answers
    /** Bounds the memory of unfinished bodies; apps of one process share it. One of its own unless given. */
    readonly bodies?: BodyRoom
  },
): Koa {
  const { trustedProxies = 0, bodies = createBodyRoom() } = options
  const app = new Koa()
  // Requests that broke off or were malformed halfway; Koa prints those that nobody listens to.
  app.on('error', (error: Error) =>
    options.observer.event('http.broken_request', { error: error.message }),
  )
  app.use(closeUnread)
  app.use(boundAnswers(options.answers ?? createAnswers(options)))
  app.use(requestContext(options))
  app.use((ctx, next) => {
    ctx.request.ip = callerAddress(ctx.req, trustedProxies)
    ctx.state.bodies = bodies
    return next()
  })
  for (const each of options.middleware ?? []) app.use(each)
  app.use(router.routes())
  app.use(router.allowedMethods())
  return app
}
