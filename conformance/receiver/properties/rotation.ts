import { reviewEvent } from '../messages.ts'
import { type Property, property } from '../property.ts'

const unknownKey = property({
  name: 'rotation.unknown-key',
  promise: 'while the sender signs with an old and a new key, knowing one of them is enough',
  advice: 'Try every entry of webhook-signature with every key that you hold; one match is enough.',
  each: ({ keys }) =>
    keys.standard.flatMap((_, key) =>
      [0, 1].flatMap((stranger) => [true, false].map((ownFirst) => ({ stranger, ownFirst, key }))),
    ),
  async play(session, { stranger, ownFirst, key }) {
    const other = session.target.keys.strangers.slice(stranger, stranger + 1)
    const own = session.key(key)
    const message = session.sign(reviewEvent(), {
      keys: ownFirst ? [own, ...other] : [...other, own],
    })
    const label = `signed with a key that it knows (${own.scheme}, ${ownFirst ? 'first' : 'last'}) and one that it does not`
    await session.accept({ ...message, label: `${message.label}, ${label}` })
  },
})

const everyKey = property({
  name: 'rotation.every-key',
  promise: 'the old key alone, both, and the new key alone are accepted, across schemes too',
  advice:
    'Hold a list of keys, and add the new one before the old one ends: the previous one signs on for 24 hours. `v1` and `v1a` may stand side by side.',
  needs: ['keys'],
  each: ({ keys }) =>
    keys.standard.flatMap((_, from) =>
      keys.standard.flatMap((__, to) => [false, true].map((swap) => ({ from, to, swap }))),
    ),
  async play(session, { from, to, swap }) {
    const { standard } = session.target.keys
    const [old, next] = [
      session.key(from),
      session.key(to % standard.length === from % standard.length ? to + 1 : to),
    ]
    const event = reviewEvent()
    for (const [at, keys] of [[old], swap ? [next, old] : [old, next], [next]].entries()) {
      const place = { id: reviewEvent().id, caseVersion: at + 1, eventSequence: at + 1 }
      const message = session.sign({ ...event, ...place }, { keys })
      const schemes = keys
        .map((key) => `${key === old ? 'old' : 'new'} ${key.scheme}`)
        .join(' and ')
      await session.accept({ ...message, label: `${message.label}, signed with ${schemes}` })
    }
  },
})

export const rotation: readonly Property[] = [unknownKey, everyKey]
