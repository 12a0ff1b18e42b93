import { type CallVerdict, NotRun, type Reviews, type ToolCall } from '@countersign/agents'
import { digestOf } from '@countersign/core/canonical'

/** What breaks a rule each: reviews in the place of those that it is given. */
export const mutants: Readonly<Record<string, (reviews: Reviews) => Reviews>> = {
  'no claim': (reviews) => withRun({ ...reviews, spend: async (_, verdict) => verdict }),
  'checkpoint from arguments': (reviews) => {
    const known = (call: ToolCall) => ({ ...call, callId: digestOf(call.input) })
    return {
      ...reviews,
      ask: (call, given) => reviews.ask(known(call), given),
      open: (call, given) => reviews.open(known(call), given),
      check: (call, given) => reviews.check(known(call), given),
      run: (call, act, given) => reviews.run(known(call), act, given),
      guard: (name, act, of) =>
        reviews.guard(name, act, (input, ...rest) => {
          const ids = of(input, ...rest)
          return { ...ids, ...known({ ...ids, name, input }) }
        }),
    }
  },
  'comment as approval': (reviews) => {
    const believed = (verdict: CallVerdict): CallVerdict =>
      verdict.outcome?.comment ? { ...verdict, approved: true } : verdict
    return withRun({
      ...reviews,
      ask: async (...asked) => believed(await reviews.ask(...asked)),
      check: async (...asked) => {
        const verdict = await reviews.check(...asked)
        return verdict && believed(verdict)
      },
      verdictOf: async (...asked) => {
        const verdict = await reviews.verdictOf(...asked)
        return verdict && believed(verdict)
      },
      spend: async (_, verdict) => verdict,
    })
  },
}

/** Reviews that run by their own `ask` and `spend`. */
function withRun(reviews: Reviews): Reviews {
  const run: Reviews['run'] = async (call, act, given) => {
    const verdict = await reviews.spend(call, await reviews.ask(call, given), given)
    if (!verdict.approved) throw new NotRun(verdict)
    const { reviewCaseId = null, presentationDigest = null } = verdict.outcome ?? {}
    return act({ reviewCaseId, presentationDigest }, call.input)
  }
  return {
    ...reviews,
    run,
    guard:
      (name, act, of) =>
      async (input, ...rest) =>
        run({ ...of(input, ...rest), name, input }, (context) => act(input, context)),
  }
}
