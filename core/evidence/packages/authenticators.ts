import type { PackMember } from '../pack.ts'

/**
 * The keys of reviewers' authenticators, by which signed decisions are checked. No reviewer signs yet
 * (`decisionSignature` of every case is null), so there are none.
 */
export const authenticatorsMember: PackMember = {
  path: 'authenticators.json',
  mediaType: 'application/json',
  content: new TextEncoder().encode(JSON.stringify({ authenticators: [] })),
}
