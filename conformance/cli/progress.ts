import type { Progress } from '../receiver/index.ts'
import { mark } from '../receiver/text-report.ts'
import type { Surroundings } from './command.ts'

const clear = '\r\u001B[K'

/** A line that is rewritten on a terminal, a line for each property elsewhere. */
export function createProgress({ err, terminal }: Surroundings, quiet: boolean) {
  return {
    step({ done, of, property }: Progress): void {
      if (quiet) return
      const { name, histories, seconds } = property
      const line = `[${done}/${of}] ${mark(property)} ${name}, ${histories} histories in ${seconds.toFixed(1)} s`
      err(terminal ? `${clear}${line}` : `${line}\n`)
    },
    end(): void {
      if (!quiet && terminal) err(clear)
    },
  }
}
