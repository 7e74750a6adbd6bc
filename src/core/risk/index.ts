export { RiskGate } from './gate.js'
export type { RiskPorts } from './ports.js'
export {
  DEFAULT_RULES,
  RISK_RULES,
  type RiskRefusal,
  type RiskRules,
  refusalCode,
  riskRulesChange,
} from './schema.js'
