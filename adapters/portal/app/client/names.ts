import { api } from './api.ts'
import { type Reading, useRead } from './use-read.ts'

/** Names by ids. */
type Names = ReadonlyMap<string, string>

/** Names of the members, those who left included, by their ids. */
export function useMemberNames(): Names {
  return namesOf(
    useRead('member-names', async (signal) => {
      const names = new Map<string, string>()
      for await (const { memberId, name, email } of api.members.list({}, { signal }))
        names.set(memberId, name ?? email)
      return names
    }),
  )
}

/** Ids of members who were deactivated: cases that they have are claimed, and nobody decides them. */
export function useDeactivated(): ReadonlySet<string> {
  const reading = useRead(
    'deactivated',
    async (signal) => {
      const ids = new Set<string>()
      for await (const { memberId } of api.members.list({ status: 'Suspended' }, { signal }))
        ids.add(memberId)
      return ids
    },
    { everyMs: 30_000 },
  )
  return reading.data.value ?? nobody
}

/** Names of the applications by their ids. */
export const useApplicationNames = (): Names => namesOf(useApplicationReading())

/** The reading of the names of the applications, where nothing can be done without them. */
export const useApplicationReading = (): Reading<Names> =>
  useRead('application-names', async (signal) => {
    const names = new Map<string, string>()
    for await (const { applicationId, name } of api.applications.list({}, { signal }))
      names.set(applicationId, name)
    return names
  })

/** Who did something, in words, by how the interface names them: `member:mem_…`, or `mem_…` where it can be no other. */
export function useActors(): (actor: string) => string {
  const members = useMemberNames()
  return (actor) => {
    const [, kind, id = ''] = /^(\w+):(.*)$/s.exec(actor) ?? []
    if (kind === 'member') return members.get(id) ?? id
    if (kind === 'staff') return `staff (${id})`
    return actor === 'system' ? 'the service' : (members.get(actor) ?? actor)
  }
}

const none: Names = new Map()
const nobody: ReadonlySet<string> = new Set()

/** Ids stand in for names that can not be read: the page that shows them is whole without. */
export const namesOf = (reading: Reading<Names>): Names => reading.data.value ?? none
