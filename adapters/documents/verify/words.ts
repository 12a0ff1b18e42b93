import type { Finding, Verdict, Witness } from '@countersign/core/evidence'
import { printable } from './printable.ts'
import type { FileReport } from './report.ts'

const verdicts: Readonly<Record<Verdict, string>> = {
  verified: 'VERIFIED',
  failed: 'FAILED',
  undecided: 'NOT VERIFIED',
}
const marks: Readonly<Record<Finding['result'], string>> = {
  verified: 'ok     ',
  failed: 'WRONG  ',
  unchecked: 'open   ',
  noted: 'note   ',
}
/** Findings of a kind that are told one by one. */
const toldEach = 20

/** A report as text, the first wrong thing first. */
export function wordsOf({ file, verdict, witness, firstFailure, findings }: FileReport): string {
  const isIssuerOpen = findings.some(
    ({ result, check }) => result === 'unchecked' && check === 'issuer',
  )
  const issuer = isIssuerOpen ? ', issuer UNCHECKED' : ''
  const behind = verdict === 'verified' ? `, ${witnessWords(witness, findings)}` : ''
  const lines = [`${printable(file)}: ${verdicts[verdict]}${issuer}${behind}`]
  if (firstFailure) lines.push(`  First thing wrong: ${line(firstFailure)}`)
  for (const result of ['failed', 'unchecked', 'noted', 'verified'] as const) {
    const all = findings.filter((finding) => finding.result === result)
    if (result === 'verified' && all.length > toldEach) {
      for (const [check, count] of countsOf(all))
        lines.push(`  ${marks[result]}${check}: ${count} times`)
      continue
    }
    for (const finding of all.slice(0, toldEach)) lines.push(`  ${marks[result]}${line(finding)}`)
    if (all.length > toldEach)
      lines.push(`  ${marks[result]}… and ${all.length - toldEach} more (--json tells all)`)
  }
  if (
    verdict === 'undecided' &&
    findings.some(
      ({ result, check, about }) =>
        result === 'unchecked' && (check === 'signature' || about === 'public-key.json'),
    )
  )
    lines.push(
      '  Give the issuer’s published keys by --keys FILE; they are at /.well-known/evidence-keys/<tenant>.',
    )
  return `${lines.join('\n')}\n`
}

function witnessWords(witness: Witness, findings: readonly Finding[]): string {
  if (witness === 'not_witnessed') return 'self-consistent, not witnessed'
  const isKnown = findings.some(({ check, result }) => check === 'witness' && result === 'verified')
  const by = isKnown ? 'by what is known from before' : 'by its time stamps'
  if (witness === 'witnessed') return `witnessed ${by}`
  const check = isKnown ? 'witness' : 'stamp'
  const rest = new Set(
    findings.flatMap((each) => (each.check === check && each.result === 'noted' ? each.about : [])),
  )
  const [first = ''] = rest
  const more = rest.size > 1 ? ` and ${rest.size - 1} more` : ''
  return `witnessed in part ${by}; self-consistent, not witnessed: ${printable(first)}${more}`
}

function line({ check, about, detail }: Finding): string {
  return printable(`${check}, ${about}: ${detail}`)
}

function countsOf(findings: readonly Finding[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const { check } of findings) counts.set(check, (counts.get(check) ?? 0) + 1)
  return counts
}
