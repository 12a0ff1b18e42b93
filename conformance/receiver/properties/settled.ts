import { OutOfTime } from '../expectations.ts'

/** Waits for all of them, so that none is still under way when a failure is told. */
export async function settled<T>(promises: readonly Promise<T>[]): Promise<readonly T[]> {
  const results = await Promise.allSettled(promises)
  // What the machine was late with hides no failure.
  const failed = results.find(
    (result) => result.status === 'rejected' && !(result.reason instanceof OutOfTime),
  )
  if (failed?.status === 'rejected') throw failed.reason
  return results.map((result) => {
    if (result.status === 'rejected') throw result.reason
    return result.value
  })
}
