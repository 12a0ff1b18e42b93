import { bytesToHex } from '@noble/hashes/utils.js'
import { usualSigningRule } from '../../applications/signing-rule.ts'
import type { Random } from '../../base/ports/random.ts'
import type { MemberActor } from '../../kernel/callers/actor.ts'
import { wrong } from '../../kernel/ledger/input-errors.ts'
import { isoTime } from '../../kernel/ledger/iso-time.ts'
import { object } from '../../kernel/members.ts'
import { operationsWith } from '../../kernel/operation.ts'
import { answered } from '../../kernel/query.ts'
import { time } from '../../kernel/shape.ts'
import { optional } from '../../kernel/wrap.ts'
import { type Member, members, tenants } from '../../organizations/access/records.ts'
import { isWorthRecording } from '../../organizations/authenticators/assertion.ts'
import { challengeMs, issueChallenge } from '../../organizations/authenticators/challenges.ts'
import { authenticators } from '../../organizations/authenticators/records.ts'
import { browserOptions, requestOptions } from '../../organizations/authenticators/relying-party.ts'
import { isOnList, maySign, modelsOf } from '../../organizations/authenticators/signing-models.ts'
import { ownOf } from '../../organizations/authenticators/unit.ts'
import { challengeOf, statementOf } from '../../proof/webauthn/statement.ts'
import { checkJson } from '../check-json.ts'
import type { DecidingHost } from '../deps.ts'
import { act, ahead, foundCase } from '../execution/act.ts'
import { contextOf, sceneOf } from '../execution/scene.ts'
import { type DecideCase, decision } from '../inputs.ts'
import { decide } from '../machine/machine.ts'
import { openToken } from '../sealing.ts'
import { caseShape, type Reviewer } from '../shapes.ts'
import { expectedStatement } from './asked.ts'
import { checkSignature, type Signed, statementPurpose } from './check-signature.ts'
import { givenSignature, statementShape, type TextNonces, textNonces } from './shapes.ts'

const { command } = operationsWith<DecidingHost>()

/** Codes that making a decision, or the statement of one, may be refused with. */
const common = [
  ...(['not_found', 'application_gone', 'invalid_transition', 'case_expired'] as const),
  ...(['version_conflict', 'requester_cannot_review', 'presentation_changed'] as const),
] as const

const also = ({ decision, response = null }: Pick<DecideCase, 'decision' | 'response'>) => [
  ...checkJson(response, '/response'),
  ...(decision === 'response_submitted' && response === null
    ? [wrong('/response', 'expected the response that is submitted, got none')]
    : []),
]

/** What a signature is checked with, beside the case. */
const signingReads = ({ tenantId, memberId }: MemberActor) => [
  ...ownOf(tenantId, memberId).reads,
  ...tenants.get(tenantId).reads,
]

/**
 * Decides the case, by the assignee, on the presentation whose digest is given; owes the outcome callback. With a
 * signature it is the member's own; who ever enrolled an authenticator for signing must give one, and so must others
 * where the application asks for it.
 */
export const decideCase = command({
  name: 'reviewCases.decide',
  doc: 'Decide a case',
  right: 'reviewCases',
  takes: { ...decision, signature: optional(givenSignature) },
  also,
  gives: caseShape,
  refuses: [
    ...common,
    'case_too_large',
    'signature_required',
    'signature_invalid',
    'authenticator_not_allowed',
    'authenticator_cloned',
    'authenticator_revoked',
  ],
  ahead: (call, input) => [
    ...ahead(call, input),
    ...(input.signature ? signingReads(call.by) : []),
  ],
  async run(
    unit,
    { decision, presentationDigest, comment, response, signature, viewedMs, ...seen },
  ) {
    const { by, tools, now } = unit
    let signed: Signed | null = null
    const view = await act(unit, seen, async ({ was }, { application }) => {
      const { member, own, tenant } = await unit.ask({
        member: members.get(by.tenantId, by.memberId),
        own: signature ? ownOf(by.tenantId, by.memberId) : answered(null),
        tenant: signature ? tenants.get(by.tenantId) : answered(null),
      })
      const given = { comment, response: response ?? null }
      const nonces = signature?.nonces ?? noncesOf(given, unit.random)
      const choice = { decision, presentationDigest, ...given, memberId: by.memberId, nonces }
      const rule = application?.row.signing ?? usualSigningRule
      const verdict = signature
        ? checkSignature(tools, signature, {
            expected: expectedStatement(
              was.row,
              choice,
              openToken(tools.sealer, was.row),
              tools.primitives.sha256,
            ),
            ...{ own: own?.rows ?? [], rule, models: modelsOf(tenant?.row ?? {}), now },
          })
        : null
      signed = verdict?.ok ? verdict.value : null
      return {
        type: 'decide',
        ...{ decision, presentationDigest, ...given, nonces, viewedMs },
        reviewer: reviewerOf(by, member?.row),
        signed: verdict && (verdict.ok ? { ok: true, value: verdict.value.signature } : verdict),
        ...{ rule, memberSigns: member?.row.signsDecisions ?? false },
      }
    })
    const after = signed as Signed | null
    if (after) {
      const { was, row } = after.authenticator
      // A revocation also writes the member's row, which is a check of this commit.
      if (isWorthRecording(was.row, row)) unit.put(authenticators, row, was)
    }
    return view
  },
})

const { eventSequence: _, viewedMs: __, ...stated } = decision

/**
 * The statement of a decision, for the member's authenticator to sign within 5 minutes: the case, what was asked, what
 * is shown and what was chosen. Refused as the decision itself would be. Writes nothing.
 */
export const stateDecision = command({
  name: 'reviewCases.stateDecision',
  doc: 'Get the statement of a decision, to be signed',
  right: 'reviewCases',
  takes: stated,
  also,
  gives: object(
    { statement: statementShape, nonces: textNonces, options: browserOptions, expiresAt: time },
    'StatedDecision',
  ),
  refuses: [...common, 'case_too_large', 'signature_required', 'authenticator_not_allowed'],
  ahead: (call, input) => [...ahead(call, input), ...signingReads(call.by)],
  async run(unit, { decision, presentationDigest, comment, response, reviewCaseId, caseVersion }) {
    const { by, tools } = unit
    const { tenantId, memberId } = by
    const { was } = await foundCase(unit, reviewCaseId)
    const scene = await sceneOf(unit, tenantId, was.row.applicationId)
    const { own, tenant } = await unit.ask({
      own: ownOf(tenantId, memberId),
      tenant: tenants.get(tenantId),
    })
    const keys = own.rows
      .map(({ row }) => row)
      .filter(({ use, revokedAt }) => use === 'signing' && revokedAt === null)
    const models = modelsOf(tenant?.row ?? {})
    const allowed = keys.filter((key) => isOnList(models, key))
    const given = { comment, response: response ?? null }
    const nonces = noncesOf(given, unit.random)
    const choice = { decision, presentationDigest, ...given, nonces }
    const judged = decide(
      was.row,
      {
        type: 'decide',
        ...choice,
        reviewer: reviewerOf(by),
        ...{ signed: null, rule: usualSigningRule, memberSigns: false },
      },
      contextOf(by, scene, { caseVersion }),
    )
    if (judged.kind === 'refused') {
      const { code, detail, ...more } = judged.refusal
      return unit.refuse(code as (typeof common)[number], detail, more)
    }
    if (keys.length === 0)
      return unit.refuse('signature_required', 'expected an authenticator enrolled for signing')
    if (allowed.length === 0) for (const key of keys) unit.orRefuse(maySign(models, key))
    const issued = Math.floor(scene.unit.now)
    const nonce = issueChallenge(
      { ...tools, random: unit.random },
      statementPurpose(was.row, memberId),
      issued,
    )
    const statement = statementOf(
      expectedStatement(was.row, { ...choice, memberId }, openToken(tools.sealer, was.row)),
      { issuedAt: isoTime(issued), nonce },
    )
    return {
      ...{ statement, nonces },
      options: requestOptions(tools.relyingParty, challengeOf(statement), allowed),
      expiresAt: isoTime(issued + challengeMs),
    }
  },
})

/** The member who decides, by their row as it was read for their right to it. */
function reviewerOf(by: MemberActor, row?: Member): Reviewer {
  return { name: row?.name ?? by.memberId, role: by.role, signIn: signInOf(by) }
}

function signInOf({ sessionId, passkeyId, providerAt }: MemberActor): Reviewer['signIn'] {
  if (sessionId === undefined) return 'host'
  if (providerAt !== undefined) return 'provider'
  return passkeyId === undefined ? 'password' : 'passkey'
}

function noncesOf(
  { comment, response }: { readonly comment: unknown; readonly response: unknown },
  random: Random,
): TextNonces {
  const nonceOf = (text: unknown) => (text === null ? null : bytesToHex(random.bytes(32)))
  return { comment: nonceOf(comment), response: nonceOf(response) }
}
