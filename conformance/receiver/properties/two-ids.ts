import { freshId, reviewEvent } from '../messages.ts'
import { type Property, property } from '../property.ts'
import { eachOnce, fail, isSuccess } from '../session.ts'
import { eventOf, familiesOf, typeOf } from '../types.ts'

/** Which of its two ids two messages have in common. */
const shared = ['header', 'body'] as const

export const oneIdentity: Property = property({
  name: 'idempotency.one-identity',
  level: 'hardening',
  promise:
    'a signed body whose `id` is not that of the header is refused, or one of the two tells what is stored, known and acted on',
  advice:
    'Refuse such a body with 400. Else take one id, webhook-id at best, and pass that on to whatever stores, looks for copies and acts: where a copy is known by one and acted on by the other, it acts twice.',
  needs: ['stored', 'effects'],
  each: ({ types }) =>
    familiesOf(types).flatMap((family) => shared.map((same) => ({ family, same }))),
  async play(session, { family, same }) {
    const ids = [freshId('evt'), freshId('evt'), freshId('evt')] as const
    const [one, two, three] = ids
    const pairs = [
      { header: one, body: two },
      same === 'header' ? { header: one, body: three } : { header: three, body: two },
    ]
    const taken: typeof pairs = []
    for (const pair of pairs) {
      const { header, body } = pair
      const event = eventOf(typeOf(session.target.types, family), { id: header })
      const spell = (text: string) => JSON.stringify({ ...JSON.parse(text), id: body })
      const message = session.sign(event, { spell })
      const { status } = await session.post(
        { ...message, label: `${message.label}, ${body} in the body` },
        (came) => (came.status !== null && came.status < 500 ? null : 'expected 2xx or 4xx'),
      )
      if (status !== null && isSuccess(status)) taken.push(pair)
    }
    const sentinel = reviewEvent()
    await session.accept(session.sign(sentinel))
    await session.settle({ ids: [sentinel.id] }, eachOnce([sentinel.id]))
    await session.settle({ ids }, ({ stored: all, effects: done = [] }) => {
      // A probe may answer with more than it was asked for.
      const isOurs = ({ id }: { readonly id: string }) => ids.some((own) => own === id)
      const [stored, effects] = [all.filter(isOurs), done.filter(isOurs)]
      const twice = effects.find(({ count }) => count > 1)
      if (twice) fail(`expected at most one effect under ${twice.id}, got ${twice.count}`)
      const kept = stored.map(({ id }) => id)
      const acted = effects.flatMap(({ id, count }) => (count > 0 ? id : []))
      // Taken and put aside, as what no sender of good faith sends.
      if (kept.length + acted.length === 0) return null
      const isBy = (which: 'header' | 'body') => {
        const own = pairs.map((pair) => pair[which])
        const due = taken.map((pair) => pair[which])
        const isOf = (ids: readonly string[]) =>
          ids.every((id) => own.includes(id)) && due.every((id) => ids.includes(id))
        return isOf(kept) && (acted.length === 0 || isOf(acted))
      }
      return isBy('header') || isBy('body')
        ? null
        : 'expected what was answered 2xx to be stored and acted on under the ids of the header, or under those of the body'
    })
  },
})
