import { useApplicationNames, useDeactivated, useMemberNames } from '../client/names.ts'
import { plainLine } from './safe-text.ts'

/** Names of members and applications by their ids, fit to be drawn; the id where there is none. */
export interface Names {
  member(memberId: string): string
  /** Of who has the case, and that they were deactivated. */
  holder(memberId: string): string
  application(applicationId: string): string
  /** Of a stored actor, such as `member:mem_1`. */
  actor(actor: string): string
}

export function useNames(): Names {
  const members = useMemberNames()
  const applications = useApplicationNames()
  const deactivated = useDeactivated()
  const member = (memberId: string) => plainLine(members.get(memberId) ?? memberId)
  const application = (id: string) => plainLine(applications.get(id) ?? id)
  return {
    member,
    holder: (memberId) =>
      deactivated.has(memberId) ? `${member(memberId)} (deactivated)` : member(memberId),
    application,
    actor: (actor) => {
      const [kind = '', id = ''] = actor.split(/:(.*)/s)
      if (kind === 'member') return member(id)
      return kind === 'application' ? application(id) : plainLine(actor)
    },
  }
}
