import type { Mutant } from './mutant.ts'
import { committing, without } from './session-mutants.ts'

const of = 'organizations'
const hour = 3_600_000

/** Answers a call as it did the first time it went well. */
function remembering<T extends { readonly ok: boolean }>(
  call: (text: string) => Promise<T>,
): (text: string) => Promise<T> {
  const known = new Map<string, T>()
  return async (text) => {
    const found = known.get(text) ?? (await call(text))
    if (found.ok) known.set(text, found)
    return found
  }
}

/** Keys, sessions and invitations that open more than they should, and members who are not who they were told to be. */
export const credentialMutants: readonly Mutant[] = [
  {
    name: 'a revoked key that is remembered',
    property: 'a revoked key opens nothing',
    of,
    parts: {
      'organizations/api-keys/authenticate-customer-key': {
        authenticateCustomerKey:
          ({ authenticateCustomerKey }) =>
          (deps) =>
            remembering(authenticateCustomerKey(deps)),
      },
    },
  },
  {
    name: 'a value that is not noted as shown',
    property: 'a value is shown once',
    of,
    port: without('keyRequests', 'customerKeys'),
  },
  {
    name: 'an executed request that is rejected',
    property: 'key requests keep their order',
    of,
    parts: {
      'keys/requests/machine': {
        decide:
          ({ decide }) =>
          (request, command, now) =>
            decide(
              command.act === 'reject' && request.status === 'executed'
                ? { ...request, status: 'approved' }
                : request,
              command,
              now,
            ),
      },
    },
  },
  {
    name: 'evidence keys that are forgotten',
    property: 'signatures stay verifiable',
    of,
    parts: {
      'evidence/keys/evidence-keys': {
        createEvidenceSigners:
          ({ createEvidenceSigners }) =>
          (deps) => {
            const signers = createEvidenceSigners(deps)
            return {
              ...signers,
              rotated: (unit, ring) => {
                const rotated = signers.rotated(unit, ring)
                return { ...rotated, keys: rotated.keys.slice(-1) }
              },
            }
          },
      },
    },
  },
  {
    name: 'a key that signs before it is published',
    property: 'signatures stay verifiable',
    parts: {
      'keys/ring': {
        rotate:
          ({ rotate }) =>
          (ring, material, now) => {
            const rotated = rotate(ring, material, now)
            if (!rotated.ok) return rotated
            const keys = rotated.value.keys.map((key) =>
              key.signsFrom > now ? { ...key, signsFrom: now } : key,
            )
            return { ok: true, value: { ...rotated.value, keys } }
          },
      },
    },
  },
  {
    name: 'a key that signs two days ahead',
    property: 'signed now by a valid key',
    of,
    parts: {
      'keys/ring': {
        signing:
          ({ signing }) =>
          (ring, now) =>
            signing(ring, now + 48 * hour),
      },
    },
  },
  {
    name: 'the last admin goes',
    property: 'an admin stays',
    of,
    parts: {
      'organizations/members/roster': {
        changeRoster:
          ({ changeRoster }) =>
          (...given) => {
            const change = changeRoster(...given)
            return change.ok ? change : { ok: true, value: [] }
          },
      },
    },
  },
  {
    name: 'sessions that outlive their member',
    property: 'an ended session opens nothing',
    of,
    parts: {
      'organizations/logins/sessions': {
        authenticateMember:
          ({ authenticateMember }) =>
          (deps) =>
            remembering(authenticateMember(deps)),
      },
    },
  },
  {
    name: 'an invitation that stays open',
    property: 'an invitation is taken once',
    of,
    port: committing((set) => {
      const isAccepted = ({ row }: { readonly row: object }) =>
        Reflect.get(row, 'status') === 'accepted'
      return { ...set, puts: (set.puts ?? []).filter((put) => !isAccepted(put)) }
    }),
  },
]
