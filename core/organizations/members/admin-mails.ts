import type { UnitOfWork } from '../../kernel/ledger/ledger.ts'
import { get, one } from '../../kernel/ledger/reads.ts'
import { members, rosters } from '../access/records.ts'

/** The e-mail addresses of an organization's admins. */
export async function adminMails(
  { read }: Pick<UnitOfWork, 'read'>,
  tenantId: string,
): Promise<readonly string[]> {
  const [found] = await read([get(rosters, [tenantId])])
  const admins = one(rosters, found)?.row.admins ?? []
  const rows = await read(admins.map((memberId) => get(members, [tenantId, memberId])))
  return rows.flatMap((each) => one(members, each)?.row.email ?? [])
}
