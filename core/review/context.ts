import { type Actor, actorName } from '../access/actor.ts'
import type { Context } from './command.ts'
import { owesCallback, type Scene } from './scene.ts'
import type { Seen } from './view.ts'

export function contextOf(actor: Actor, scene: Scene, seen?: Seen): Context {
  const member = actor.kind === 'member' ? actor : null
  return {
    now: scene.at,
    by: {
      name: actorName(actor),
      memberId: member?.memberId ?? null,
      admin: member?.role === 'CustomerAdmin',
    },
    seen: seen ?? null,
    callback: owesCallback(scene),
  }
}
