import type { Drained } from '../handling/pump.ts'
import type { Receiver } from '../join-receiver.ts'

interface ExecutionContext {
  waitUntil(work: Promise<unknown>): void
}

/**
 * The default export of a Cloudflare Worker. `create` makes the receiver from the bindings, once per `env`. Handlers
 * run after the answer (`waitUntil`); the cron trigger runs retries.
 */
export function workersModule<Env extends object>(
  create: (env: Env) => Pick<Receiver, 'fetch' | 'drain'>,
): {
  readonly fetch: (request: Request, env: Env, context: ExecutionContext) => Promise<Response>
  readonly scheduled: (event: unknown, env: Env) => Promise<Drained>
} {
  const receivers = new WeakMap<Env, Pick<Receiver, 'fetch' | 'drain'>>()
  const receiverFor = (env: Env) => {
    const known = receivers.get(env) ?? create(env)
    receivers.set(env, known)
    return known
  }
  return {
    async fetch(request, env, context) {
      const receiver = receiverFor(env)
      const response = await receiver.fetch(request)
      context.waitUntil(receiver.drain())
      return response
    },
    scheduled: (_event, env) => receiverFor(env).drain(),
  }
}
