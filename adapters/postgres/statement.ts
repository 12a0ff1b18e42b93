import type { Connection } from './connection.ts'

/** A statement with what it binds. */
export interface Statement {
  readonly text: string
  readonly values: readonly unknown[]
}

/** Sends all at once; rejects with the first that failed, once all have been answered. */
export async function runAll({ run }: Connection, statements: readonly Statement[]): Promise<void> {
  const answers = await Promise.allSettled(statements.map(({ text, values }) => run(text, values)))
  const failed = answers.find(({ status }) => status === 'rejected')
  if (failed?.status === 'rejected') throw failed.reason
}
