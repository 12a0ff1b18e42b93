/** A function of a verifier, by its file and name, and what it answers instead of looking. */
export type Answer = readonly [file: string, name: string, value: string]

/** A rule of the verifiers that is switched off in either of them, and the move that shows it. */
export interface Rule {
  readonly first: Answer
  /** Null where the second verifier has no function of its own for it. */
  readonly second: Answer | null
  /** Name of the move, on an auditor's or a bulk pack. */
  readonly on: 'auditor' | 'bulk'
  readonly move: string
  /** What the reader holds, by the lists of it; empty: nothing. */
  readonly held: string
}

const none = 'undefined'
const all = 'ledger,batches,cases,log'
const notSealed = 'a decision told as not sealed'

const ofAuditors: readonly (readonly [Answer, Answer | null, move: string, held: string])[] = [
  // What is known from before.
  [
    ['witness', 'checkKnownEnd', none],
    ['known', 'check_known_end', 'None'],
    'a decision told as open, its leaf as it is',
    all,
  ],
  [
    ['witness', 'isOtherLeaf', 'false'],
    ['known', 'is_other_leaf', 'False'],
    `${notSealed}, its leaf as that of another case`,
    all,
  ],
  [
    ['witness', 'differsFromKnown', 'false'],
    null,
    'add 0 twice to batches[0].leaves, sealed anew',
    'batches',
  ],
  [
    ['witness', 'checkKnownEntries', "report.known && report.verified('witness', '')"],
    ['proof', 'check_known_entries', 'report.known and report.verified("witness", "")'],
    'date later log[9].at',
    all,
  ],
  [
    ['removed-sessions', 'isOfAnother', 'true'],
    ['known', 'is_of_another', 'True'],
    'a decision told as moved, under a later leaf, its own as an earlier revision',
    'certificate',
  ],
  [
    ['cases', 'checkKnownRecord', none],
    ['cases', 'check_known_record', 'None'],
    'a decision told as ended otherwise, not sealed, its leaf as it is',
    all,
  ],
  // Rows of several members.
  [
    ['batches', 'isOfAKind', 'true'],
    ['documents', 'is_of_a_kind', 'True'],
    'leave out batches[0].leaves[0].sessionId',
    '',
  ],
  [
    ['batches', 'isSecondLeaf', 'false'],
    null,
    'a decision told otherwise under a later leaf, its own as it is, sealed anew',
    '',
  ],
  [
    ['shared-rows', 'checkWithheld', none],
    ['rows', 'is_before', 'False'],
    `${notSealed}, its leaf as it is`,
    '',
  ],
  [
    ['shared-rows', 'isStrange', 'false'],
    ['rows', 'is_strange', 'False'],
    'leave out 1 and all behind of cases, sealed anew, steps too',
    'ledger',
  ],
  [
    ['shared-rows', 'noteOmitted', none],
    ['rows', 'note_omitted', 'None'],
    'leave out events, and say so',
    all,
  ],
  [['shared-rows', 'take', none], ['rows', 'take', 'None'], 'replace batches[0].batchId', ''],
  [
    ['case-events', 'finish', none],
    ['rows', 'finish', 'None'],
    'replace events[2].reviewCaseId',
    all,
  ],
  [['case-events', 'isNext', 'true'], ['rows', 'is_next', 'True'], 'add 2 twice to events', all],
  [
    ['contents', 'checkPlaces', none],
    ['contents', 'check_places', 'None'],
    'leave out sessions',
    '',
  ],
  // Ends of lists.
  [
    ['tails', 'checkEnd', none],
    ['tails', 'check_end', 'None'],
    'leave out 1 and all behind of log, sealed anew, steps too',
    all,
  ],
  [
    ['tails', 'noteKnownEnd', none],
    ['tails', 'note_known_end', 'None'],
    'end before batch 1',
    'ledger',
  ],
  [['tails', 'checkAnchored', none], null, 'replace batches[0].anchorSequence', ''],
  // Cases and their leaves.
  [
    ['cases', 'checkUnsealed', none],
    ['cases', 'check_unsealed', 'None'],
    `${notSealed}, hours later, its leaf as that of another case`,
    '',
  ],
  [
    ['cases', 'checkCaseRecord', none],
    ['cases', 'check_case_record', 'None'],
    'replace cases[0].caseVersion',
    '',
  ],
  [
    ['cases', 'checkHistory', none],
    ['cases', 'check_history', 'None'],
    'leave out cases[0].history[0].step, sealed anew, steps too',
    all,
  ],
  [
    ['cases', 'checkTexts', none],
    ['cases', 'check_texts', 'None'],
    'leave out cases[1].presentation',
    all,
  ],
  [['cases', 'checkSalted', none], null, 'add cases[1].reviewerComment', all],
  [
    ['cases', 'checkCaseLeaf', "objectAt(integrity, 'leafInput')"],
    ['cases', 'check_case_leaf', 'seal.get("leafInput")'],
    'replace cases[0].integrity.leafInput.leafType',
    all,
  ],
  [
    ['anchor', 'checkInclusion', 'hashOf(merkle.merkleRoot)'],
    ['proof', 'check_inclusion', 'bytes.fromhex(merkle["merkleRoot"])'],
    'replace cases[0].integrity.merkle.inclusionPath',
    all,
  ],
  [['anchor', 'checkBesideEntry', none], null, 'add ledger[3].nonce', all],
]

const ofBulk: typeof ofAuditors = [
  [
    ['witness', 'checkWitness', "report.known && report.verified('witness', '')"],
    ['known', 'check_witness', 'report.known and report.verified("witness", "")'],
    'replace reviewCases[0].decision, sealed anew',
    'root',
  ],
  [
    ['witness', 'checkKnownCases', none],
    ['known', 'check_known_cases', 'None'],
    'leave out 0 of reviewCases, signed',
    'evidence',
  ],
  [
    ['witness', 'checkKnownSource', none],
    ['known', 'check_known_source', 'None'],
    'replace integrity.leafSource, signed',
    'evidence',
  ],
  [['witness', 'checkKnownSeals', none], null, 'replace integrity.revision, signed', 'evidence'],
  [['cases', 'checkOwner', none], null, 'replace reviewCases[0].tenantId, sealed anew', ''],
  [
    ['record', 'checkRecord', none],
    ['record', 'check_record', 'None'],
    'replace session.status, signed',
    'evidence',
  ],
  [
    ['record', 'checkStep', none],
    ['record', 'check_own_step', 'None'],
    'replace steps[0].name, signed',
    'evidence',
  ],
  [
    ['record', 'checkLeaf', "objectAt(integrity, 'leafInput')"],
    ['record', 'check_leaf', 'integrity.get("leafInput")'],
    'leave out integrity.leafInput.steps[1].name, signed',
    'evidence',
  ],
  [
    ['compare', 'checkSums', none],
    ['record', 'check_sums', 'None'],
    'replace session.models, signed',
    'evidence',
  ],
  [
    ['compare', 'checkStepIds', none],
    ['record', 'check_ids', 'None'],
    'replace steps[0].stepId, signed',
    'evidence',
  ],
  [['compare', 'checkScores', none], null, 'leave out steps[1].scores, signed', 'evidence'],
  [
    ['form', 'checkForm', none],
    ['documents', 'check_form', 'None'],
    'replace session.sealed.leafIndex, signed',
    'evidence',
  ],
]

/** Each rule that the moves show to be needed. */
export const rules: readonly Rule[] = (['auditor', 'bulk'] as const).flatMap((on) =>
  (on === 'bulk' ? ofBulk : ofAuditors).map(([first, second, move, held]): Rule => {
    return { first, second, on, move, held }
  }),
)
