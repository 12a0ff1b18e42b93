export {
  checkLine,
  type ServerCheckReport,
  type ServerReport,
  serverJunitReport,
  serverTextReport,
} from './report.ts'
export {
  checks,
  openServerSuite,
  runServerSuite,
  type ServerSuite,
  type ServerSuiteOptions,
} from './suite.ts'
export type { Login, Need, ServerTarget, SinkSettings, StaffHost } from './target.ts'
