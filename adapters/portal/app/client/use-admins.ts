import { api } from './api.ts'
import { type Reading, useRead } from './use-read.ts'

/** An admin by id and name. */
type Admin = readonly [memberId: string, name: string]

/** Active admins. */
export function useAdmins(): Reading<readonly Admin[]> {
  return useRead('admins', async (signal) => {
    const found: Admin[] = []
    for await (const { memberId, name, email, role } of api.members.list(
      { status: 'Active' },
      { signal },
    ))
      if (role === 'CustomerAdmin') found.push([memberId, name ?? email])
    return found
  })
}
