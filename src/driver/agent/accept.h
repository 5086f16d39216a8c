// Which scripts an agent can run: those whose maps are metrics, and that print nothing.
#pragma once

#include <string>
#include <vector>

#include "driver/metrics/map_metrics.h"
#include "driver/run/job.h"
#include "parser/tree/ast.h"

namespace lt::agent {

// The metrics of a job whose plan is made of this program; empty, with diagnostics in the job, if it cannot be run.
std::optional<std::vector<MapMetric>> accepted_metrics(Job& job, const ast::Program& program, std::string_view script);

// An Error that names two owners (maps, scripts, the agent) and the metric that both would be: their families have the
// same name, or a sample of one has a name of the other's.
Status none_twice(const std::vector<std::pair<std::string, std::vector<Family>>>& owners);

}  // namespace lt::agent
