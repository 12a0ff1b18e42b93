import { writeFile } from 'node:fs/promises'
import { UsageError } from '../receiver/index.ts'

/** After the report is printed, so that a file that can't be written costs no run; throws a UsageError. */
export async function writeReport(file: string, report: string): Promise<void> {
  try {
    await writeFile(file, report)
  } catch (error) {
    throw new UsageError(`--junit: ${(error as Error).message}`)
  }
}
