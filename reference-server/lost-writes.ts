import type { Clock } from '@countersign/core/ports'

/** The database is behind what was acknowledged; the message says what to do. */
export class LostWritesError extends Error {
  override readonly name = 'LostWritesError'

  constructor(found: string, database: string) {
    super(
      [
        found,
        '  If the newer files exist (the database, and its -wal beside it), stop everything and bring both back.',
        `  Else take the database as it is, as a restored backup: countersign restore ${database} --database ${database}`,
        '  That raises versions past what receivers have seen. Without it ids and versions would come twice.',
      ].join('\n'),
    )
  }
}

/** How long before a loss writes may have been made that are lost unnoticed. */
const markEveryMs = 1_000

export interface MarkKeeper {
  /** Ends with a last mark. */
  stop(): Promise<void>
}

/** Raises the store's high-water mark at once and every second. */
export function keepMark(
  mark: (now: number) => Promise<void>,
  clock: Clock,
  onFault: (error: Error) => void,
): MarkKeeper {
  let stopped = false
  let cancel = () => {}
  let running = Promise.resolve()
  let failing = false

  function run(): void {
    running = raise().then(() => {
      if (!stopped) cancel = clock.after(markEveryMs, run)
    })
  }

  async function raise(): Promise<void> {
    try {
      await mark(clock.now())
      failing = false
    } catch (error) {
      // Once for each fault, however long it lasts.
      if (!failing) onFault(error as Error)
      failing = true
    }
  }

  run()
  return {
    stop: async () => {
      stopped = true
      cancel()
      await running
      await raise()
    },
  }
}
