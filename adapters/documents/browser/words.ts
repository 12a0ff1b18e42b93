import type { FindingResult, Verdict, Witness } from '@countersign/core/evidence'
import { printable } from '../verify/printable.ts'
import type { FileReport } from '../verify/report.ts'

/** What each verdict says to a person. */
export const verdictWords: Readonly<
  Record<Verdict, { readonly title: string; readonly meaning: string }>
> = {
  verified: {
    title: 'Verified.',
    meaning:
      'A signature that verifies covers what this file says, and all that was checked holds.',
  },
  failed: {
    title: 'Wrong.',
    meaning: 'The file was changed, or is incomplete. Do not rely on it.',
  },
  undecided: {
    title: 'Not verified.',
    meaning: 'Nothing wrong was found, but something could not be checked or is not signed.',
  },
}

/** What a verified file is beside that. */
export const witnessWords: Readonly<Record<Witness, string>> = {
  witnessed: 'It is witnessed by what you hold from before.',
  partly_witnessed:
    'Some of it is witnessed by what you hold from before, the rest is consistent with itself, not witnessed.',
  not_witnessed:
    'It is consistent with itself, not witnessed: nothing from before stands behind it.',
}

/** Titles of the lists of findings. */
export const resultWords: Readonly<Record<FindingResult, string>> = {
  failed: 'Wrong',
  unchecked: 'Not checked',
  noted: 'Good to know',
  verified: 'Holds',
}

export const droppedWords = 'Nothing that was dropped is a file.'

export function countWords(count: number): string {
  return count === 1 ? '1 finding' : `${count} findings`
}

export function checkingWords(file: string, number: number, count: number): string {
  return `Checking ${printable(file)}${count === 1 ? '' : ` (${number} of ${count})`} …`
}

/** Said when all files were checked. */
export function doneWords(reports: readonly FileReport[], files: number): string {
  const [only] = reports
  if (files === 0) return ''
  if (files === 1 && only)
    return `${printable(only.file)}: ${verdictWords[only.verdict].title} ${countWords(only.findings.length)}.`
  const verified = reports.filter(({ verdict }) => verdict === 'verified').length
  return `${verified} of ${files} files verified.`
}

export function keyWords(file: string, count: number): string {
  return `${count === 1 ? 'One key' : `${count} keys`} of ${file} will be used.`
}

export function knownWords(files: string): string {
  return `What is compared with: ${files}.`
}

export function recordWords(file: string): string {
  return `The SHA-256 is that of ${file}.`
}

export const noSumWords = 'Not compared: expected 64 hex digits.'

/** Said of a SHA-256 where several files are checked. */
export const severalWords = 'Not compared: it is of one file, and several are given.'

/** Said of files that a field can't take. */
export function refusedWords(files: string, error: unknown): string {
  return `${files} can not be used: ${messageOf(error)}.`
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
