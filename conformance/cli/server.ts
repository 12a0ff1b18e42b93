import { UsageError } from '../receiver/index.ts'
import {
  checkLine,
  checks,
  runServerSuite,
  serverJunitReport,
  serverTextReport,
} from '../server/index.ts'
import type { Command } from './command.ts'
import { help, readServerArguments, targetOf } from './server-arguments.ts'
import { writeReport } from './write-report.ts'

/** `countersign-conformance server`. */
export const server: Command = async (args, around) => {
  try {
    const given = readServerArguments(args)
    if (given.help) {
      around.out(help)
      return 0
    }
    if (given.list) {
      for (const { name, promise } of checks) around.out(`${name.padEnd(26)} ${promise}\n`)
      return 0
    }
    const unknown = given.only?.find(
      (only) => !checks.some(({ name }) => name === only || name.startsWith(`${only}.`)),
    )
    if (unknown !== undefined) throw new UsageError(`--only ${unknown}: no such check; see --list`)
    const target = targetOf(given, around.env)
    const report = await runServerSuite(target, {
      ...(given.only && { only: given.only }),
      onProgress: (done, of, check) => {
        if (!given.quiet) around.err(`[${done}/${of}] ${checkLine(check)}\n`)
      },
    })
    if (given.json) around.out(`${JSON.stringify(report, null, 2)}\n`)
    else around.out(serverTextReport(report))
    if (given.junit !== undefined) await writeReport(given.junit, serverJunitReport(report))
    return report.failed > 0 ? 1 : 0
  } catch (error) {
    if (error instanceof UsageError) {
      around.err(`${error.message}\nTry countersign-conformance server --help\n`)
    } else {
      around.err(`the server could not be judged: ${(error as Error).message}\n`)
    }
    return 2
  }
}
