import type { Middleware } from 'koa'
import { sliceBytes, streamAnswer } from './answer-stream.ts'
import type { Answers } from './answers.ts'
import { meterOf } from './rate-limit.ts'

/**
 * Comes before everything else in an app: reads take turns, a large answer is written in slices, and one whose receiver
 * takes nothing is cut.
 */
export function boundAnswers(answers: Answers): Middleware {
  return async (ctx, next) => {
    const cut = () => void ctx.res.destroy()
    // What is written at the end waits for its receiver too.
    ctx.res.once('prefinish', () => ctx.res.once('close', answers.expectProgress(cut)))
    ctx.state.answers = answers
    ctx.state.owner = null
    const end = ctx.method === 'GET' ? await answers.turn('call') : null
    try {
      await next()
      const { body } = ctx
      if (typeof body !== 'object' || body === null || 'pipe' in body || Buffer.isBuffer(body))
        return
      const text = JSON.stringify(body)
      ctx.body = text
      meterOf(ctx)(text.length)
      if (text.length < sliceBytes) return
      const whole = Buffer.from(text)
      ctx.body = streamAnswer({ first: whole, owner: ctx.state.owner }, answers, cut)
      ctx.length = whole.length
    } finally {
      end?.()
    }
  }
}
