/** What the service answers to who asks for a statement. */
export interface Stated {
  readonly statement: Readonly<Record<string, unknown>>
  readonly nonces: Readonly<Record<string, unknown>>
}

const stating =
  (change: object) =>
  (stated: Stated): Stated => ({ ...stated, statement: { ...stated.statement, ...change } })
const dated = (days: number) =>
  stating({ issuedAt: new Date(Date.now() + days * 24 * 3_600_000).toISOString() })
const another = '0'.repeat(64)

/** Statements that are none of what a member sees and chose, nor of now, as a stolen service may ask to have signed. */
export const otherStatements: Readonly<Record<string, (stated: Stated) => Stated>> = {
  version: stating({ statementVersion: '2.0' }),
  type: stating({ statementType: 'authenticator-change' }),
  organization: stating({ tenantId: 'ten_other' }),
  application: stating({ applicationId: 'app_other' }),
  session: stating({ sessionId: 'ses_other' }),
  checkpoint: stating({ checkpointId: 'chk_other' }),
  case: stating({ reviewCaseId: 'rc_other' }),
  'version of the case': stating({ caseVersion: 99 }),
  'what was asked': stating({ askedDigest: another }),
  'nothing that was asked': stating({ askedDigest: null }),
  'what is shown': stating({ presentationDigest: another }),
  decision: stating({ decision: 'approved' }),
  comment: stating({ commentDigest: another }),
  'no comment': stating({ commentDigest: null }),
  'nonce of the comment': (stated) => ({
    ...stated,
    nonces: { ...stated.nonces, comment: another },
  }),
  response: stating({ responseDigest: another }),
  member: stating({ memberId: 'mem_other' }),
  'dated ahead': dated(180),
  'dated without a zone': stating({ issuedAt: new Date().toISOString().slice(0, -1) }),
  'dated before': dated(-1),
}

/** Statements that are none of the change that an admin makes. */
export const otherChanges: typeof otherStatements = {
  version: stating({ statementVersion: '2.0' }),
  type: stating({ statementType: 'review-decision' }),
  organization: stating({ tenantId: 'ten_other' }),
  member: stating({ memberId: 'mem_other' }),
  change: stating({ change: 'remove' }),
  subject: stating({ subject: 'app_other' }),
  'what is set': stating({ settingDigest: another }),
}
