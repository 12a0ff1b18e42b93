import { ok, type Result, refuse } from '@countersign/core/ledger'
import type { Context, Middleware } from 'koa'
import { sliceBytes, streamAnswer } from './answer-stream.ts'
import type { Answers } from './answers.ts'
import { meterOf } from './rate-limit.ts'

/**
 * Comes before everything else in an app: a large answer is written in slices, and one whose receiver takes nothing is
 * cut.
 */
export function boundAnswers(answers: Answers): Middleware {
  return async (ctx, next) => {
    const cut = () => void ctx.res.destroy()
    // What is written at the end waits for its receiver too. Most of it the system takes at once.
    ctx.res.once('prefinish', () => {
      const { res } = ctx
      // A response whose client has left was closed before: nothing would end the watch.
      if (!res.destroyed && res.writableLength > 0) res.once('close', answers.expectProgress(cut))
    })
    ctx.state.answers = answers
    ctx.state.owner = null
    try {
      await next()
      const whole = bytesOf(ctx.body)
      if (!whole) return
      ctx.body = whole
      meterOf(ctx)(whole.length)
      if (whole.length < sliceBytes) return
      ctx.body = streamAnswer({ first: whole, owner: ctx.state.owner }, answers, cut)
      ctx.length = whole.length
    } finally {
      ctx.state.endTurn?.()
    }
  }
}

/** The bytes of a body that is whole; null where there is none, or it is a stream or a text of the host's own. */
function bytesOf(body: unknown): Buffer | null {
  if (Buffer.isBuffer(body)) return body
  if (typeof body !== 'object' || body === null || 'pipe' in body) return null
  return Buffer.from(JSON.stringify(body))
}

/** Waits for a turn in the caller's name, which lasts until the answer is encoded. */
export async function awaitTurn(ctx: Context, owner: string | null): Promise<Result<null>> {
  const answers: Answers = ctx.state.answers
  ctx.state.owner = owner
  const end = await answers.turn(ctx.method === 'GET' ? 'call' : 'change', owner)
  if (!end)
    return refuse('busy', 'answers of the organization wait for their receivers; read them first', {
      retryAfter: 1,
    })
  ctx.state.endTurn = end
  return ok(null)
}
