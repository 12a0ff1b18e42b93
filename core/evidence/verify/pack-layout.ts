/** Which files packs of one kind have. */
export interface PackLayout {
  /** Those of the organization or the person. */
  readonly files: readonly string[]
  /** Those of each application of the scope, in its folder, lists behind those that name what they list. */
  readonly ofApplication: readonly string[]
  /** Those of each session, in its folder; the first is always there, the others are made of it. */
  readonly ofSession: readonly string[]
  /** Those that it can have beside. */
  readonly others: RegExp
}

/** Members of a data subject's pack that are compared. */
export const subjectDocuments: ReadonlySet<string> = new Set([
  'access-report.json',
  'portable/sessions.json',
])

const none: PackLayout = { files: [], ofApplication: [], ofSession: [], others: /^README\.txt$/ }

/** The files of packs by their kind. */
export const packLayouts: ReadonlyMap<unknown, PackLayout> = new Map([
  [
    'auditor',
    {
      files: [
        ...['anchors.jsonl', 'audit-log.jsonl', 'members.csv', 'retention-and-holds.json'],
        ...['authenticators.json', 'verification-keys.json'],
      ],
      ofApplication: [
        ...['application.json', 'policy-rules.json', 'sessions.csv', 'review-cases.jsonl'],
        ...['review-events.jsonl', 'batches.jsonl'],
      ],
      ofSession: [],
      others: /^(?:README\.txt|time-stamps\/[1-9]\d*\.tsr)$/,
    },
  ],
  [
    'bulk',
    {
      ...none,
      files: ['authenticators.json'],
      ofSession: ['evidence.json', 'session.csv', 'time-stamp.tsr', 'evidence-pack.pdf'],
    },
  ],
  [
    'subject',
    {
      ...none,
      files: [
        ...[...subjectDocuments, 'access-report.pdf', 'portable/sessions.csv'],
        ...['processing-log.json', 'erasures-and-holds.json'],
      ],
    },
  ],
])
