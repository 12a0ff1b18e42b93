import { api } from './api.ts'
import { type Reading, useRead } from './use-read.ts'

/** A member by id and name. */
type Reviewer = readonly [memberId: string, name: string]

/** Active members who may review cases. */
export function useReviewers(): Reading<readonly Reviewer[]> {
  return useRead('reviewers', async (signal) => {
    const found: Reviewer[] = []
    for await (const one of api.members.list({ status: 'Active' }, { signal }))
      if (one.role === 'CustomerAdmin' || one.permissions.includes('Review Cases'))
        found.push([one.memberId, one.name ?? one.email])
    return found
  })
}
