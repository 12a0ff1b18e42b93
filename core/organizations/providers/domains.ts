import type { Ledger } from '../../kernel/ledger/ledger.ts'
import { list, one } from '../../kernel/ledger/reads.ts'
import { signInDomains } from './records.ts'

/** The organization, whoever asks, that proved that a domain is theirs; null for none. */
export async function ownerOfDomain(
  { read }: Pick<Ledger, 'read'>,
  domain: string,
): Promise<string | null> {
  const [found] = await read(null, [
    list(signInDomains, { where: [['domain', '=', domain]], take: 1 }),
  ])
  return one(signInDomains, found)?.row.tenantId ?? null
}
